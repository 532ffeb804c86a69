// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/sigmoid.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> sigmoid_family() {
  static const Task tasks[] = {
      {.id = "sigmoid",
       .category = Category::activation,
       .difficulty = 2,
       .schema = "sigmoid(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Logistic function of each element. It must not overflow for large negative inputs. Where `out` is given the result "
           "is written there and returned.",
       .math = "y = 1 / (1 + exp(-x))",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::sigmoid_out(*out, a.tensor("input")) : at::sigmoid(a.tensor("input"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N]",
               "standard: M=17..40 N=65..200 input=randn[M,N] out=like",
               "boundary: N=33..90 input=randn[5,N,9]@transposed",
               "boundary: N=65..200 input=randn[33,N]@strided",
               "boundary: N=60001..65500 input=randn[N]",
               "boundary: input=randn[0]",
               "boundary: input=randn[1]",
               "boundary: input=randn[]",
               "boundary: input=randn[257]@offset",
               "boundary: input=randn[9,65]@expanded",
               "boundary: input=randn[1025]@scale(1e-4)",
               "boundary: input=randn[513]@shift(8)",
               "boundary: input=linspace(-110,110)[2001]",
               "boundary: input=values(nan,inf,-inf,0,-0.0)",
               "boundary: input=randn[0,3] out=like",
           },
       .perf = {"input=randn[262144]", "input=randn[1024,1025]", "input=randn[2097152]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
