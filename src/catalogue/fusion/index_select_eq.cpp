// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/eq.h>
#include <ATen/ops/index_select.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> index_select_eq_family() {
  static const Task tasks[] = {
      {.id = "fused_index_select_eq",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_index_select_eq(Tensor input, int dim, Tensor index, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Picks the slices `index` of the input along `dim` and says for each element whether it equals that of `other`, a "
           "tensor that broadcasts or a number. The result is boolean. Where `out` is given it is written there and returned.",
       .math = "y = (index_select(input, dim, index) == other)",
       .reference = [](const Args& a) -> Values {
         at::Tensor chosen = at::index_select(a.tensor("input"), a.integer("dim"), a.tensor("index"));
         auto out = a.maybe_tensor("out");
         return {out ? at::eq_out(*out, chosen, a.tensor("other")) : at::eq(chosen, a.tensor("other"))};
       },
       .contract = exact(),
       .cases =
           {
               "standard: M=33..130 N=33..90 K=17..60 input=randint(-2,3)[M,N] dim=0 index=randint(0,M)[K] "
               "other=randint(-2,3)[K,N]",
               "standard: M=17..60 N=65..200 K=17..60 input=randint(-2,3)[M,N] dim=1 index=randint(0,N)[K] "
               "other=randint(-2,3)[M,K]",
               "standard: M=17..60 N=33..90 K=33..90 input=randint(-2,3)[M,N]:f32 dim=0 index=randint(0,M)[K] other=1",
               "outlier: input=randint(-2,3)[67,45]@outlier10 dim=0 index=randint(0,67)[33] other=randint(-2,3)[33,45]@outlier10",
               "outlier: input=randint(-2,3)[67,45]:f32@outlier50 dim=1 index=randint(0,45)[17] "
               "other=randint(-2,3)[67,17]:f32@outlier50",
               "boundary: input=randint(-2,3)[9,7] dim=1 index=randint(0,7)[5] other=randint(-2,3)[5]",
               "boundary: input=randint(-2,3)[9,7]:f32 dim=-1 index=randint(0,7)[5] other=randint(-2,3)[9,1]:f32",
               "boundary: input=randint(-2,3)[9,7]:f32 dim=0 index=values(0,8,8,3):i64 other=0.0",
               "boundary: input=randint(-2,3)[5,6,7] dim=1 index=randint(0,6)[9] other=randint(-2,3)[5,9,7]",
               "boundary: input=randint(-2,3)[33,17]:f32@transposed dim=0 index=randint(0,33)[9] other=randint(-2,3)[9,17]:f32",
               "boundary: input=randint(-2,3)[9,65]:f32@strided dim=1 index=randint(0,65)[33] "
               "other=randint(-2,3)[9,33]:f32@strided",
               "boundary: input=randint(-2,3)[9,65]:f32@expanded dim=0 index=randint(0,9)[4] other=1",
               "boundary: input=randint(-2,3)[33,7]@offset dim=0 index=randint(0,33)[5] other=randint(-2,3)[5,7]",
               "boundary: input=randint(-2,3)[9,7] dim=0 index=randint(0,9)[5] other=randint(-2,3)[5,7] out=like",
               "boundary: input=randint(-2,3)[64]:f32 dim=0 index=randint(0,64)[65] other=2",
               "boundary: input=randint(0,2)[9,7]:f32@scale(1e-4) dim=0 index=randint(0,9)[17] "
               "other=randint(0,2)[17,7]:f32@scale(1e-4)",
               "boundary: input=randint(-2,3)[9,7]:f32@shift(1000) dim=0 index=randint(0,9)[17] other=1000",
               "boundary: input=values(nan,0,-0.0,inf,-inf,1) dim=0 index=values(0,0,1,2,3,4,5):i64 "
               "other=values(nan,1,-0.0,0,inf,inf,1)",
               "boundary: input=randint(-2,3)[9,7] dim=0 index=randint(0,9)[0] other=1",
               "boundary: input=randint(-2,3)[1] dim=0 index=randint(0,1)[1] other=0",
               "boundary: input=randint(-2,3)[9,7] dim=0 index=randint(0,9)[5]:i32 other=randint(-2,3)[5,7]",
               "boundary: * input=randint(-2,3)[9,7] dim=1 index=randint(0,7)[5] other=2",
           },
       .perf = {"input=randint(-2,3)[16384,128] dim=0 index=randint(0,16384)[10240] other=randint(-2,3)[10240,128]",
                "input=randint(-2,3)[4096,513]:f32 dim=1 index=randint(0,513)[400] other=1"},
       .perf_gpu = {"input=randint(-2,3)[131072,128] dim=0 index=randint(0,131072)[65536] other=randint(-2,3)[65536,128]",
                    "input=randint(-2,3)[16384,1025]:f32 dim=1 index=randint(0,1025)[800] other=1"},
       // The chosen elements, those compared with (or one number) and the index are read, the result is written.
       .cost = [](const Args& a, const Values& out) -> Cost {
         at::Tensor input = a.tensor("input"), index = a.tensor("index"), other = a.tensor("other");
         double chosen = outputs(out) * static_cast<double>(input.element_size());
         double compared = a.call().argument("other").number_for_tensor ? 0 : static_cast<double>(other.nbytes());
         return {chosen + compared + static_cast<double>(index.nbytes()) + outputs(out), outputs(out)};
       },
       .deviation = "The published random cases expect true everywhere; here about one element in five is equal."},
  };
  return tasks;
}

}  // namespace kbx
