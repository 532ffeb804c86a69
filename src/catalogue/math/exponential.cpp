// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/exp.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/sqrt.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> exponential_family() {
  static constexpr Elementwise kLog1p = {.recipe = "uniform(0,4)"};
  static const Task tasks[] = {
      {.id = "exp_sqrt",
       .category = Category::math,
       .difficulty = 1,
       .schema = "exp_sqrt(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Square root of the exponential of each element. Where `out` is given the result is written there and returned.",
       .math = "y = sqrt(exp(x))",
       .reference = [](const Args& a) -> Values {
         at::Tensor powers = at::exp(a.tensor("input"));
         auto out = a.maybe_tensor("out");
         return {out ? at::sqrt_out(*out, powers) : at::sqrt(powers)};
       },
       .contract = numeric(),
       .cases = elementwise_cases({}, {"boundary: N=33..90 input=randn[33,N]@strided out=like",
                                       "boundary: input=randn[513]@shift(20)", "boundary: input=randn[513]@shift(-20)",
                                       "boundary: input=linspace(-80,80)[1001]", "boundary: input=values(nan,inf,-inf,0,-0.0)"}),
       .perf = {"input=randn[2097152]", "input=randn[1025,2047]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 13 * outputs(out)};
       },
       .deviation = "Where exp overflows or vanishes in the working precision, but exp(x/2) does not, either value is right."},
      {.id = "log1p",
       .category = Category::math,
       .difficulty = 2,
       .schema = "log1p(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Natural logarithm of one plus each element, accurate near zero too, where 1 + x has lost the digits of x. Where "
           "`out` is given the result is written there and returned.",
       .math = "y = ln(1 + x); -inf at -1, NaN below",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::log1p_out(*out, a.tensor("input")) : at::log1p(a.tensor("input"))};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kLog1p,
           {"standard: N=1000..4095 input=uniform(-0.95,1)[3,N]@fixed",
            "boundary: N=33..90 input=uniform(0,4)[33,N]@strided out=like", "boundary: input=loguniform(1e-20,1e-2)[1025]",
            "boundary: input=loguniform(1e-20,1e-2)[1025]@scale(-1)", "boundary: input=loguniform(1,1e30)[1025]",
            "boundary: input=randn[513]@shift(1000)", "boundary: input=values(nan,inf,-inf,0,-0.0,-1,-2)"}),
       .perf = elementwise_perf(kLog1p, Pace::vectorised),
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 10 * outputs(out)};
       },
       .deviation = "The published absolute tolerance lets log(1 + x) pass; here the result is right near zero as well."},
  };
  return tasks;
}

}  // namespace kbx
