// SPDX-License-Identifier: Apache-2.0
#include "catalogue/quantization/integer_scheme.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace kbx {
namespace {

// x / scale in float32: max |x| / levels (2), a reciprocal (1), the product (1), an approximate division (2), or x + 0.5
// before floor (absolute, hence |t| + 1 below).
constexpr double kTieRoundings = 8;

}  // namespace

IntegerTensor to_integers(const at::Tensor& x, at::IntArrayRef dims, double levels) {
  const at::Tensor wide = x.to(at::kDouble);
  if (wide.numel() == 0) return {wide, wide.sum(dims, /*keepdim=*/true), wide};
  at::Tensor largest = wide.abs().amax(dims, /*keepdim=*/true);
  largest = at::where(largest.eq(0), at::ones_like(largest), largest);
  const at::Tensor t = wide * levels / largest;
  return {t.round(), largest / levels, integers_off(t, kTieRoundings * kFloat32Roundoff * (t.abs() + 1))};
}

at::Tensor integers_off(const at::Tensor& t, const at::Tensor& uncertainty) {
  const at::Tensor beyond = uncertainty - ((t - t.floor()) - 0.5).abs();
  return at::where(beyond.lt(0), at::zeros_like(t), beyond.floor() + 1);
}

double summation_roundings(int64_t n) { return 8 + 2 * std::sqrt(static_cast<double>(n)); }

}  // namespace kbx
