// SPDX-License-Identifier: Apache-2.0
#include "catalogue/math/logit.h"

#include <ATen/ops/logit.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values logit(const Args& a) {
  std::optional<double> eps;
  if (!a.call().argument("eps").value.isNone()) eps = a.real("eps");
  auto out = a.maybe_tensor("out");
  return {out ? at::logit_out(*out, a.tensor("input"), eps) : at::logit(a.tensor("input"), eps)};
}

}  // namespace

std::span<const Task> logit_family() {
  static constexpr Elementwise kProbability = {.recipe = "uniform(0.02,0.98)"};
  static const Task tasks[] = {
      {.id = "logit",
       .category = Category::math,
       .difficulty = 2,
       .schema = "logit(Tensor input, float? eps=None, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Logarithm of the odds of each element. Where `eps` is given the element is first clamped to [eps, 1 - eps], bounds "
           "in the input's type; without it elements outside [0, 1] give NaN. Where `out` is given the result is written there "
           "and returned.",
       .math = "y = ln(z / (1 - z)), z = min(max(x, eps), 1 - eps)",
       .reference = logit,
       .oracle = logit_oracle,
       .contract = numeric(),
       .cases = elementwise_cases(
           kProbability,
           {"standard: M=17..70 N=65..300 input=randn[M,N] eps=1e-6", "standard: N=1000..4095 input=uniform[3,N] eps=0.01",
            "boundary: input=uniform(0.499,0.501)[513]", "boundary: input=uniform(-1,2)[513]",
            "boundary: input=loguniform(1e-30,1e-3)[513]", "boundary: input=loguniform(1e-7,1e-2)[513]@scale(-1)@shift(1)",
            "boundary: input=values(0,1,0.5,-0.0,2,-1,inf,-inf,nan)",
            "boundary: input=values(0,1,0.5,-0.0,2,-1,inf,-inf,nan) eps=1e-6", "boundary: input=randn[257]:f64 eps=1e-9",
            "boundary: input=randn[33,17] eps=1e-3 out=like", "boundary: input=randn[33,7] eps=0.1 *"}),
       .perf = elementwise_perf(kProbability, Pace::vectorised),
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 13 * outputs(out)};
       },
       .deviation = "The published absolute tolerance hides errors near 1/2, where the logit vanishes; here it is right there as "
                    "well."},
  };
  return tasks;
}

}  // namespace kbx
