// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/min.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> extremum_family() {
  static const Task tasks[] = {
      {.id = "min",
       .category = Category::reduce,
       .difficulty = 2,
       .schema = "min(Tensor input_tensor, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
       .summary = "Smallest element along a dimension and an index (int64) where it is. Any index of an equal element will do. A "
                  "NaN counts as smaller than everything.",
       .math = "values = min over dim of x; x[.., indices, ..] = values",
       .reference = [](const Args& a) -> Values {
         auto [values, indices] = at::min(a.tensor("input_tensor"), a.integer("dim"), a.flag("keepdim"));
         return {values, indices};
       },
       .contract = {Exact{}, Indices{.input = "input_tensor", .dim = "dim"}},
       .cases =
           {
               "standard: M=17..90 N=65..300 input_tensor=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input_tensor=randn[M,N] dim=0",
               "standard: N=1000..4095 input_tensor=randn[5,N] dim=-1 keepdim=true",
               "standard: A=3..9 B=5..17 C=7..33 input_tensor=randn[A,B,C] dim=1 keepdim=true",
               "boundary: N=33..200 input_tensor=randn[17,N]@strided dim=1",
               "boundary: N=33..90 input_tensor=randn[N,17]@transposed dim=0",
               "boundary: input_tensor=randint(0,5)[33,65] dim=1",
               "boundary: input_tensor=randint(0,3)[33,65]:f32 dim=0",
               "boundary: input_tensor=randint(-1000,1000)[257]:i32 dim=0",
               "boundary: input_tensor=randn[33,65]:f16 dim=1",
               "boundary: input_tensor=full(3)[9,17] dim=1",
               "boundary: input_tensor=randn[0,5] dim=1",
               "boundary: input_tensor=randn[5,0,3] dim=0",
               "boundary: input_tensor=randn[1] dim=0",
               "boundary: input_tensor=randn[] dim=0",
               "boundary: input_tensor=randn[9,1] dim=1",
               "boundary: input_tensor=randn[9,33]@offset dim=1",
               "boundary: input_tensor=randn[9,33]@expanded dim=0",
               "boundary: input_tensor=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input_tensor=randn[9,257]@shift(1000) dim=1",
               "boundary: input_tensor=randn[9,33]@shift(-1000) dim=1",
               "boundary: input_tensor=randn[9,65]@poke(nan) dim=1",
               "boundary: input_tensor=full(inf)[3,17] dim=1",
               "boundary: input_tensor=randn[9,65]@poke(-inf,inf) dim=1",
               "boundary: input_tensor=randn[9,33] dim=-2 keepdim=true *",
               "boundary: * input_tensor=randn[9,33] dim=1",
           },
       .perf = {"input_tensor=randn[4095,1025] dim=1", "input_tensor=randn[1535,1025] dim=0"},
       .perf_gpu = {"input_tensor=randn[8191,8193] dim=1", "input_tensor=randn[4096,4097] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input_tensor").numel())};
       },
       .deviation =
           "The published text asks for the first of equal elements, which the library it compares with does not promise; "
           "here any of them is right."},
  };
  return tasks;
}

}  // namespace kbx
