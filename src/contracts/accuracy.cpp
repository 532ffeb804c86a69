// SPDX-License-Identifier: Apache-2.0
#include "contracts/accuracy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/view_as_real.h>

#include <cmath>
#include <limits>

#include "contracts/rounding.h"

namespace kbx {
namespace {

constexpr int64_t kFewestForFit = 16;
constexpr double kDominance = 4;

at::Tensor real_parts(const at::Tensor& t) {
  return (t.is_complex() ? at::view_as_real(t.resolve_conj()) : t).to(at::kDouble).reshape(-1);
}

double sum_of_squares(const at::Tensor& t) { return t.square().sum().item<double>(); }

// The three as float64 vectors of the elements that are finite in all of them.
struct Finite {
  at::Tensor y, truth, other;
  Finite(const at::Tensor& y_in, const at::Tensor& truth_in, const at::Tensor& other_in)
      : y(real_parts(y_in)), truth(real_parts(truth_in)), other(real_parts(other_in)) {
    const at::Tensor keep = at::isfinite(y).logical_and_(at::isfinite(truth)).logical_and_(at::isfinite(other));
    if (keep.all().item<bool>()) return;
    y = y.masked_select(keep), truth = truth.masked_select(keep), other = other.masked_select(keep);
  }
};

// Sum of squares that is left of y after the best a + b * x. Works on y - x, which has the same residual, so that
// nothing cancels where y is nearly x.
double fit_residual(const at::Tensor& y, const at::Tensor& x) {
  const at::Tensor difference = y - x;
  const at::Tensor d = difference - difference.mean(), c = x - x.mean();
  const double variance = sum_of_squares(c);
  if (!(variance > 0)) return sum_of_squares(d);
  return sum_of_squares(d - c * ((d * c).sum().item<double>() / variance));
}

}  // namespace

double residual_ratio(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& explained) {
  const Finite f(y, truth, explained);
  return std::sqrt(sum_of_squares(f.y - f.other) / sum_of_squares(f.y - f.truth));
}

double fitted_residual_ratio(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& explained) {
  const Finite f(y, truth, explained);
  if (f.y.numel() < kFewestForFit) return 1;
  const at::Tensor magnitude = f.truth.abs();
  if (!(magnitude.median().item<double>() * kDominance >= magnitude.max().item<double>())) return 1;
  return std::sqrt(fit_residual(f.y, f.other) / fit_residual(f.y, f.truth));
}

double share_representable(const at::Tensor& y, at::ScalarType type) {
  const at::Tensor values = real_parts(y);
  if (values.numel() == 0) return 0;
  return values.eq(round_to(values, type)).sum().item<double>() / static_cast<double>(values.numel());
}

double effective_bits(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& spread) {
  const at::ScalarType type = c10::toRealValueType(y.scalar_type());
  at::Tensor wide_spread = spread;
  if (y.is_complex()) wide_spread = spread.unsqueeze(-1).expand(at::view_as_real(truth).sizes());
  const Finite f(y, truth, wide_spread);
  const bool sixteen = type == at::kHalf || type == at::kBFloat16;
  const at::Tensor error = sixteen ? excess(f.y.to(type), f.truth) : f.y - f.truth;
  const double scale = sum_of_squares(f.other / working_roundoff(type)) + sum_of_squares(f.truth);
  return -0.5 * std::log2(sum_of_squares(error) / scale);
}

Accuracy accuracy_of_bits(double bits, at::ScalarType type) {
  // Written so that NaN is `wrong`.
  if (bits >= 18) return Accuracy::poor;
  if (bits >= 11.3) return type == at::kHalf || type == at::kBFloat16 ? Accuracy::fp16 : Accuracy::tf32;
  if (bits >= 4) return Accuracy::bf16;
  return Accuracy::wrong;
}

Accuracy accuracy_of_type(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return Accuracy::fp64;
    case at::kHalf:
      return Accuracy::fp16;
    case at::kBFloat16:
      return Accuracy::bf16;
    default:
      return Accuracy::fp32;
  }
}

}  // namespace kbx
