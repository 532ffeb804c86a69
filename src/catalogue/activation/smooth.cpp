// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/selu.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values selu(const Args& a) {
  at::Tensor input = a.tensor("input");
  return {a.flag("inplace") ? at::selu_(input) : at::selu(input)};
}

Values selu_published(const Args& a) {
  constexpr double kAlpha = 1.6732632423543772848170429916717, kScale = 1.0507009873554804934193349852946;
  at::Tensor input = a.tensor("input");
  return {(at::relu(input) + at::minimum(input, at::expm1(input) * kAlpha)) * kScale};
}

}  // namespace

std::span<const Task> smooth_activation_family() {
  static constexpr Elementwise kShape = {.out = ""};
  static const Task tasks[] = {
      {.id = "selu",
       .category = Category::activation,
       .difficulty = 1,
       .schema = "selu(Tensor(a!) input, bool inplace=False) -> Tensor",
       .summary =
           "Scaled exponential linear unit of each element: linear for positive ones, an exponential that levels off for "
           "negative ones, accurate near zero too. NaN stays NaN. With inplace=True the input itself is changed and returned; "
           "otherwise it stays as it is.",
       .math = "y = scale * x for x > 0, scale * alpha * (exp(x) - 1) otherwise\n"
               "alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946",
       .reference = selu,
       .published = selu_published,
       .contract = numeric(),
       .cases = elementwise_cases(
           kShape, {"standard: M=17..60 N=33..200 input=randn[M,N] inplace=true", "standard: input=linspace(-12,12)[2001]",
                    "boundary: input=randn[1] inplace=true", "boundary: input=randn[257]@offset inplace=true",
                    "boundary: input=randn[9,65]@strided inplace=true", "boundary: input=randn[33,17]@transposed inplace=true",
                    "boundary: input=loguniform(1e-30,1e-2)[513]@scale(-1)", "boundary: input=randn[513]@shift(1000)",
                    "boundary: input=uniform(-120,-10)[513]", "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1)",
                    "boundary: input=randn[257]:f64 inplace=false", "boundary: input=randn[33,7] inplace=true *"}),
       .perf = elementwise_perf(kShape, Pace::vectorised),
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 12 * outputs(out)};
       },
       .deviation =
           "The published reference takes the smaller of x and alpha * (exp(x) - 1) where its own formula has the smaller of 0 "
           "and that, so that positive elements come out doubled and those below about -1.1 wrong; here it is the SELU of the "
           "formula. Its test does not look at the argument either; here inplace=True must change it and hand it back, and "
           "inplace=False must leave it alone."},
  };
  return tasks;
}

}  // namespace kbx
