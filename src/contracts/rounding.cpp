// SPDX-License-Identifier: Apache-2.0
#include "contracts/rounding.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/copysign.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/round.h>
#include <ATen/ops/trunc.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "core/check.h"

namespace kbx {
namespace {

constexpr int kBias = 1023, kFraction = 52, kExponentMask = 0x7ff;

// The spacing of `digits`-digit numbers at |x|, where exponents below `least` share that of `least`.
at::Tensor spacing(const at::Tensor& x, int digits, int least) {
  return power_of_two(exponent_of(x).clamp_min(least).sub_(digits - 1));
}

// Integers as wide as the type, and its exponent's bits in them.
at::ScalarType carrier_of(at::ScalarType type) {
  return type == at::kDouble ? at::kLong : type == at::kFloat ? at::kInt : at::kShort;
}
int64_t exponent_mask(at::ScalarType type) {
  const FloatFormat format = float_format(type);
  const int fraction = format.digits - 1, width = static_cast<int>(8 * c10::elementSize(type));
  return static_cast<int64_t>((uint64_t{1} << (width - 1)) - (uint64_t{1} << fraction));
}

// Half the spacing at |y|, as scale * tensor. The tensor is of y's own type, which is the least to move.
struct ScaledHalfUlp {
  at::Tensor tensor;
  double scale;
};
ScaledHalfUlp scaled_half_ulp(const at::Tensor& y) {
  const at::ScalarType type = y.scalar_type();
  const FloatFormat format = float_format(type);
  const double least = std::ldexp(1.0, format.least_exponent), half = std::ldexp(1.0, -format.digits);
  // 2^e for y = m 2^e with 1 <= m < 2: y without its sign and fraction.
  at::Tensor power = y.contiguous().view(carrier_of(type)).bitwise_and(exponent_mask(type)).view(type);
  power.clamp_(least, std::ldexp(1.0, 1 - format.least_exponent));
  if (type != at::kDouble) return {power, half};
  return {power.mul_(half).clamp_min_(least), 1};  // as half_ulp(), which has no smaller number
}

}  // namespace

bool has_float_format(at::ScalarType type) {
  return type == at::kDouble || type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
}

FloatFormat float_format(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return {53, -1022};
    case at::kFloat:
      return {24, -126};
    case at::kHalf:
      return {11, -14};
    case at::kBFloat16:
      return {8, -126};
    default:
      KBX_CHECK(has_float_format(type));
      return {};
  }
}

double working_roundoff(at::ScalarType type) { return type == at::kDouble ? 0x1p-53 : 0x1p-24; }

at::Tensor power_of_two(const at::Tensor& exponent) {
  // Not at::pow or at::exp2: their vectorised forms are not exact.
  return (exponent.clamp_min(1 - kBias) + kBias).mul_(int64_t{1} << kFraction).view(at::kDouble);
}

at::Tensor exponent_of(const at::Tensor& x) {
  return x.contiguous().view(at::kLong).bitwise_right_shift(kFraction).bitwise_and_(kExponentMask).sub_(kBias);
}

at::Tensor half_ulp(const at::Tensor& y, at::ScalarType type) {
  const FloatFormat format = float_format(type);
  return spacing(y, format.digits + 1, format.least_exponent);
}

at::Tensor half_ulp_plus(const at::Tensor& y, double constant) {
  const ScaledHalfUlp half = scaled_half_ulp(y);
  // One element of one dimension, so that the sum is in float64.
  const at::Tensor start = at::full({1}, constant, y.options().dtype(at::kDouble));
  return at::add(start, half.tensor, half.scale).reshape(y.sizes());
}

at::Tensor signed_excess(const at::Tensor& y, const at::Tensor& r) {
  KBX_CHECK(y.sizes() == r.sizes());  // with equal dimensions the difference is in float64
  const ScaledHalfUlp half = scaled_half_ulp(y);
  // The last factor forgives the rounding of this subtraction at the cell's edge.
  return (y - r).abs_().sub_(half.tensor, half.scale * (1 + 1e-9));
}

at::Tensor excess(const at::Tensor& y, const at::Tensor& r) { return signed_excess(y, r).clamp_min_(0); }

at::Tensor round_to(const at::Tensor& r, at::ScalarType type) {
  KBX_CHECK(r.scalar_type() == at::kDouble);
  if (type == at::kDouble) return r.clone();
  const FloatFormat format = float_format(type);
  const at::Tensor quantum = spacing(r, format.digits, format.least_exponent);
  const at::Tensor rounded = (r / quantum).round_().mul_(quantum);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - format.digits), 1 - format.least_exponent);
  const at::Tensor infinity = at::full_like(rounded, std::numeric_limits<double>::infinity());
  return at::where(rounded.abs() > largest, at::copysign(infinity, rounded), rounded);
}

at::Tensor round_significand(const at::Tensor& x, int digits) {
  const at::Tensor quantum = spacing(x, digits, 1 - kBias);
  return (x / quantum).round_().mul_(quantum);
}

at::Tensor truncate_significand(const at::Tensor& x, int digits) {
  const at::Tensor quantum = spacing(x, digits, 1 - kBias);
  return (x / quantum).trunc_().mul_(quantum);
}

}  // namespace kbx
