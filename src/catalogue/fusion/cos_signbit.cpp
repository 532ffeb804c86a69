// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/cos.h>
#include <ATen/ops/signbit.h>
#include <ATen/ops/zeros_like.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values cos_signbit(const Args& a) {
  at::Tensor cosine = at::cos(a.tensor("input"));
  return {cosine, at::signbit(cosine)};
}

Values either_sign(const Args& a) {
  at::Tensor cosine = at::cos(a.tensor("input")), positive = at::zeros_like(cosine, at::kBool);
  return {cosine, positive, positive.logical_not()};
}

}  // namespace

std::span<const Task> cos_signbit_family() {
  static constexpr Elementwise kShape = {.out = ""};
  static const Task tasks[] = {
      {.id = "fused_cos_signbit",
       .category = Category::fusion,
       .difficulty = 1,
       .schema = "fused_cos_signbit(Tensor input) -> (Tensor cos_result, Tensor sign_bit)",
       .summary = "Cosine of each element, and whether that is negative, as booleans.",
       .math = "cos_result = cos(x)\nsign_bit = (the sign of cos_result is negative)",
       .reference = cos_signbit,
       .jump = either_sign,
       .contract = {Numeric{}, Jump{}},
       .cases = elementwise_cases(
           kShape, {"standard: N=1000..4095 input=uniform(-3.1416,3.1416)[3,N]", "boundary: input=linspace(1.5707,1.5709)[513]",
                    "boundary: input=full(1.57079637)[65]", "boundary: input=uniform(-100,100)[1025]",
                    "boundary: input=uniform(-1e4,1e4)[1025]", "boundary: input=values(nan,inf,-inf,0,-0.0)"}),
       .perf = {"input=randn[2097152]", "input=randn[1535,1025]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 9 * outputs(out)};
       },
       .deviation = "The published test compares sign_bit with the sign of one library's cosine. Here either is right where the "
                    "cosine lies within its error budget of zero, or is NaN."},
  };
  return tasks;
}

}  // namespace kbx
