// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> sigmoid_family() {
  static constexpr Elementwise kTanh = {.argument = "input_tensor", .out = "out_tensor"};
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
           elementwise_cases({}, {"standard: M=17..40 N=65..200 input=randn[M,N] out=like",
                                  "boundary: N=33..90 input=randn[5,N,9]@transposed", "boundary: input=randn[513]@shift(8)",
                                  "boundary: input=linspace(-110,110)[2001]", "boundary: input=values(nan,inf,-inf,0,-0.0)"}),
       .perf = elementwise_perf({}),
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * outputs(out)};
       }},
      {.id = "tanh",
       .category = Category::activation,
       .difficulty = 1,
       .schema = "tanh(Tensor input_tensor, *, Tensor(a!)? out_tensor=None) -> Tensor",
       .summary = "Hyperbolic tangent of each element, accurate near zero as well. Where `out_tensor` is given the result is "
                  "written there and returned.",
       .math = "y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out_tensor");
         return {out ? at::tanh_out(*out, a.tensor("input_tensor")) : at::tanh(a.tensor("input_tensor"))};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kTanh, {"boundary: input_tensor=randn[513]@shift(4)", "boundary: input_tensor=linspace(-100,100)[2001]",
                   "boundary: input_tensor=loguniform(1e-30,1)[1025]", "boundary: input_tensor=values(nan,inf,-inf,0,-0.0)"}),
       .perf = elementwise_perf(kTanh),
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * outputs(out)};
       },
       .deviation = "The published absolute tolerance lets the quotient of exponentials pass; here the result is right near zero "
                    "as well."},
  };
  return tasks;
}

}  // namespace kbx
