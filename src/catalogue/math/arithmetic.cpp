// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/add.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> arithmetic_family() {
  static const Task tasks[] = {
      {.id = "add",
       .category = Category::math,
       .difficulty = 4,
       .schema = "add(Tensor input, Tensor other, Scalar alpha=1, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Adds `other`, a tensor or a number, times alpha. Shapes broadcast, and types promote as in PyTorch. Where `out` is "
           "given the result is written there and returned.",
       .math = "y = input + alpha * other",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         at::Tensor input = a.tensor("input"), other = a.tensor("other");
         return {out ? at::add_out(*out, input, other, a.scalar("alpha")) : at::add(input, other, a.scalar("alpha"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N] other=randn[N] alpha=0.5",
               "standard: M=17..60 N=33..90 input=randn[M,1] other=randn[1,N] alpha=-2",
               "boundary: N=65..300 input=randn[33,N]@strided other=2.5",
               "boundary: N=33..90 input=randn[N,33]@transposed other=randn[N,33] out=like",
               "boundary: N=60001..65500 input=randn[N] other=randn[N]",
               "boundary: input=randint(-1000,1000)[33,17] other=randint(-1000,1000)[33,17] alpha=3",
               "boundary: input=randint(-1000,1000)[65]:i32 other=7 alpha=2",
               "boundary: input=randint(-100,100)[65]:i32 other=randn[65]",
               "boundary: input=randint(-100,100)[65] other=0.5",
               "boundary: input=randn[0] other=randn[1]",
               "boundary: input=randn[5,0,3] other=randn[0,1] out=like",
               "boundary: input=randn[1] other=randn[1]",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[] other=3",
               "boundary: input=randn[257]@offset other=randn[257]",
               "boundary: input=randn[9,65]@expanded other=randn[9,65]",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@shift(1000) other=randn[1025]@shift(-1000)",
               "boundary: input=values(nan,inf,-inf,inf,0) other=values(1,1,1,-inf,-0.0)",
               "boundary: input=randn[33] other=randn[33] alpha=0",
               "boundary: input=randn[33,7] other=randn[7] alpha=2 *",
           },
       .perf = {"input=randn[4194304] other=randn[4194304]", "input=randn[2559,2049] other=randn[2049] alpha=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
