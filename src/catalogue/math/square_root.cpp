// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/erfc.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/rad2deg.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tanh.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {
std::span<const Task> square_root_family() {
  static constexpr Elementwise kPair = {.recipe = "uniform(0,4)", .out = ""}, kOne = {.recipe = "uniform(0,4)"};
  static const Task tasks[] = {
      {.id = "erfc_sqrt",
       .category = Category::math,
       .difficulty = 2,
       .schema = "erfc_sqrt(Tensor input) -> (Tensor erfc_result, Tensor sqrt_result)",
       .summary =
           "Two results for each element: its complementary error function, which keeps its relative accuracy in the tail, "
           "where 1 - erf(x) has lost all digits, and its square root, NaN for negative elements.",
       .math = "erfc_result = 1 - 2 / sqrt(pi) * integral over t from 0 to x of exp(-t^2)\nsqrt_result = sqrt(x)",
       .reference = [](const Args& a) -> Values {
         at::Tensor input = a.tensor("input");
         return {at::erfc(input), at::sqrt(input)};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kPair, {"standard: N=1000..4095 input=uniform(0.5,3.5)[3,N]@fixed", "boundary: input=uniform(3,9)[1025]",
                   "boundary: input=uniform(8.5,9.2)[257]", "boundary: input=linspace(-6,6)[1001]",
                   "boundary: input=loguniform(1e-30,1)[1025]", "boundary: input=uniform(0,4)[33,65]:f64",
                   "boundary: input=uniform(0,2)[33,65]:f16", "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1)",
                   "boundary: input=uniform(0,4)[33,7] *", "boundary: * input=uniform(0,4)[33,7]"}),
       .perf = {"input=uniform(0,4)[1572864]", "input=uniform(0,4)[767,2049]"},
       .cost = each<17>,
       .deviation = "The published absolute tolerance hides the tail of erfc; here it is right there as well."},
      {.id = "rad2deg_sqrt",
       .category = Category::math,
       .difficulty = 2,
       .schema = "rad2deg_sqrt(Tensor input) -> (Tensor deg_result, Tensor sqrt_result)",
       .summary =
           "Two results for each element: the element, an angle in radians, converted to degrees, and its square root, NaN "
           "for negative elements. Integers give floating results of the default type.",
       .math = "deg_result = x * 180 / pi\nsqrt_result = sqrt(x)",
       .reference = [](const Args& a) -> Values {
         at::Tensor input = a.tensor("input");
         return {at::rad2deg(input), at::sqrt(input)};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kPair, {"standard: N=1000..4095 input=uniform(0,6.2832)[3,N]@fixed", "boundary: input=uniform(-4,4)[1025]",
                   "boundary: input=loguniform(1e-30,1e30)[1025]", "boundary: input=randint(0,1000)[65]",
                   "boundary: input=uniform(0,4)[513]@shift(1000)", "boundary: input=uniform(0,4)[33,65]:f64",
                   "boundary: input=uniform(0,4)[33,65]:f16", "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1)",
                   "boundary: input=uniform(0,4)[33,7] *", "boundary: * input=uniform(0,4)[33,7]"}),
       .perf = {"input=uniform(0,4)[3145728]", "input=uniform(0,4)[1535,2049]"},
       .cost = each<5>},
      {.id = "sqrt_exp",
       .category = Category::math,
       .difficulty = 2,
       .schema = "sqrt_exp(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Exponential of the square root of each element; NaN for negative elements. Where `out` is given the result is "
                  "written there and returned.",
       .math = "y = exp(sqrt(x))",
       .reference = [](const Args& a) -> Values {
         at::Tensor roots = at::sqrt(a.tensor("input"));
         auto out = a.maybe_tensor("out");
         return {out ? at::exp_out(*out, roots) : at::exp(roots)};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kOne, {"standard: M=17..60 N=33..200 input=uniform(0,4)[M,N] out=like", "boundary: input=uniform(0,7800)[1025]",
                  "boundary: input=loguniform(1e-30,1)[1025]", "boundary: input=uniform(0,4)[513]@shift(1000)",
                  "boundary: input=uniform(0,4)[33,65]:f64", "boundary: input=uniform(0,4)[33,65]:f16",
                  "boundary: input=uniform(-1,4)[513]", "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1,9)",
                  "boundary: input=uniform(0,4)[33,7] *", "boundary: * input=uniform(0,4)[33,7]"}),
       .perf = elementwise_perf(kOne, Pace::vectorised),
       .cost = each<13>},
      {.id = "sqrt_tanh",
       .category = Category::math,
       .difficulty = 3,
       .schema = "sqrt_tanh(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Hyperbolic tangent of the square root of each element, accurate near zero too; NaN for negative elements. "
                  "Where `out` is given the result is written there and returned.",
       .math = "y = tanh(sqrt(x))",
       .reference = [](const Args& a) -> Values {
         at::Tensor roots = at::sqrt(a.tensor("input"));
         auto out = a.maybe_tensor("out");
         return {out ? at::tanh_out(*out, roots) : at::tanh(roots)};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kOne, {"standard: M=17..60 N=33..200 input=uniform(0,4)[M,N] out=like", "boundary: input=uniform(0,10000)[1025]",
                  "boundary: input=loguniform(1e-30,1)[1025]", "boundary: input=uniform(0,4)[1025]@scale(1e-8)",
                  "boundary: input=uniform(0,4)[33,65]:f64", "boundary: input=uniform(0,4)[33,65]:bf16",
                  "boundary: input=uniform(-1,4)[513]", "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1,9)",
                  "boundary: input=uniform(0,4)[33,7] *", "boundary: * input=uniform(0,4)[33,7]"}),
       .perf = elementwise_perf(kOne, Pace::vectorised),
       .cost = each<13>,
       .deviation = "Unlike the published reference `out` is honoured."},
  };
  return tasks;
}

}  // namespace kbx
