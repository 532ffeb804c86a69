// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/relu.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> rectifier_family() {
  static constexpr Elementwise kRelu = {.out = ""};
  static const Task tasks[] = {
      {.id = "relu",
       .category = Category::activation,
       .difficulty = 2,
       .schema = "relu(Tensor(a!) input, bool inplace=False) -> Tensor",
       .summary = "Keeps positive elements and puts zero for negative ones; NaN stays NaN. With inplace=True the input itself is "
                  "changed and returned; otherwise it stays as it is.",
       .math = "y = max(x, 0)",
       .reference = [](const Args& a) -> Values {
         at::Tensor input = a.tensor("input");
         return {a.flag("inplace") ? at::relu_(input) : at::relu(input)};
       },
       .contract = exact(),
       .cases = elementwise_cases(
           kRelu, {"standard: M=17..60 N=33..200 input=randn[M,N] inplace=true", "boundary: input=randn[1] inplace=true",
                   "boundary: input=randn[257]@offset inplace=true", "boundary: input=randn[9,65]@strided inplace=true",
                   "boundary: input=randn[33,17]@transposed inplace=true", "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1)",
                   "boundary: input=loguniform(1e-44,1e38)[513] inplace=false", "boundary: input=randn[33,7] inplace=true *"}),
       .perf = elementwise_perf(kRelu),
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), outputs(out)};
       },
       .deviation = "The published test does not look at the argument; here inplace=True must change it and hand it back, and "
                    "inplace=False must leave it alone. NaN is a case here: a maximum that drops it is wrong."},
      {.id = "leaky_relu",
       .category = Category::activation,
       .difficulty = 2,
       .schema = "leaky_relu(Tensor(a!) input, Scalar negative_slope=0.01, bool inplace=False) -> Tensor",
       .summary = "Keeps positive elements and multiplies negative ones by negative_slope. With inplace=True the input itself is "
                  "changed and returned; otherwise it stays as it is.",
       .math = "y = x for x > 0, negative_slope * x otherwise",
       .reference = [](const Args& a) -> Values {
         at::Tensor input = a.tensor("input");
         at::Scalar slope = a.scalar("negative_slope");
         return {a.flag("inplace") ? at::leaky_relu_(input, slope) : at::leaky_relu(input, slope)};
       },
       .contract = numeric(),
       .cases = elementwise_cases(kRelu,
                                  {
                                      "standard: N=1000..4095 input=randn[3,N] negative_slope=0.1",
                                      "standard: M=17..60 N=33..200 input=randn[M,N] inplace=true",
                                      "boundary: N=33..90 input=randn[33,N]@transposed negative_slope=0.25 inplace=false",
                                      "boundary: input=randn[1] inplace=true",
                                      "boundary: input=randn[] negative_slope=2",
                                      "boundary: input=randn[257]@offset inplace=true",
                                      "boundary: input=randn[9,65]@strided negative_slope=0.5 inplace=true",
                                      "boundary: input=randn[513]@shift(-1000)",
                                      "boundary: input=randn[513] negative_slope=0",
                                      "boundary: input=randn[513] negative_slope=-0.5",
                                      "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1)",
                                      "boundary: input=randn[33,7] negative_slope=0.1 inplace=true *",
                                  }),
       .perf = {"input=randn[4194304]", "input=randn[2049,2303] negative_slope=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out)};
       },
       .deviation = "The published test does not look at the argument; here inplace=True must change it and hand it back, and "
                    "inplace=False must leave it alone."},
  };
  return tasks;
}

}  // namespace kbx
