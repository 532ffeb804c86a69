// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/mv.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sub.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> mv_sigmoid_sub_family() {
  static const Task tasks[] = {
      {.id = "fused_mv_sigmoid_sub",
       .category = Category::fusion,
       .difficulty = 2,
       .schema =
           "fused_mv_sigmoid_sub(Tensor input, Tensor vec, Tensor other, Scalar alpha=1, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Product of the matrix `input` [n, m] with the vector `vec` [m], then the logistic function of it, minus alpha times "
           "`other`, a tensor that broadcasts with the product or a number. Where `out` is given the result is written there and "
           "returned.",
       .math = "y = 1 / (1 + exp(-(input vec))) - alpha * other",
       .reference = [](const Args& a) -> Values {
         at::Tensor share = at::sigmoid(at::mv(a.tensor("input"), a.tensor("vec")));
         auto out = a.maybe_tensor("out");
         return {out ? at::sub_out(*out, share, a.tensor("other"), a.scalar("alpha"))
                     : at::sub(share, a.tensor("other"), a.scalar("alpha"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 N=65..300 input=randn[M,N] vec=randn[N]@scale(0.1) other=randn[M]",
               "standard: M=17..90 N=33..130 input=randn[M,N] vec=randn[N]@scale(0.2) other=0.5",
               "standard: N=1000..4095 input=randn[5,N] vec=randn[N]@scale(0.02) other=randn[5] alpha=2",
               "boundary: input=randn[33,65]@scale(1e-4) vec=randn[65] other=0.5",
               "boundary: input=randn[17,65]@shift(10) vec=randn[65]@scale(0.01) other=randn[17]",
               "boundary: input=randn[17,65]@scale(10) vec=randn[65] other=0",
               "boundary: input=randn[33,17]@transposed vec=randn[17]@strided other=randn[33]",
               "boundary: input=randn[9,65]@strided vec=randn[65]@offset other=randn[9]@strided",
               "boundary: input=randn[9,65]@expanded vec=randn[65] other=0.25 alpha=-1.5",
               "boundary: input=randn[9,65] vec=randn[65] other=randn[1]",
               "boundary: input=randn[9,65] vec=randn[65] other=randn[] alpha=0.5",
               "boundary: input=randn[9,65] vec=randn[65] other=randn[3,9]",
               "boundary: input=randn[9,65] vec=randn[65] other=randn[9] alpha=0",
               "boundary: input=randn[9,65] vec=randn[65] other=randn[9] out=like",
               "boundary: input=randn[1,1] vec=randn[1] other=randn[1]",
               "boundary: input=randn[0,5] vec=randn[5] other=1",
               "boundary: input=randn[5,0] vec=randn[0] other=randn[5]",
               "boundary: input=randn[5,33]@poke(nan,inf) vec=randn[33] other=0.5",
               "boundary: input=randn[9,33] vec=randn[33] other=randn[9] alpha=2 *",
           },
       .perf = {"input=randn[4096,3073] vec=randn[3073]@scale(0.02) other=randn[4096]",
                "input=randn[2048,6145] vec=randn[6145]@scale(0.01) other=0.5 alpha=2"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * static_cast<double>(a.tensor("input").numel()) + 10 * outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
