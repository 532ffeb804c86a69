// SPDX-License-Identifier: Apache-2.0
#include "contracts/accuracy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/rounding.h"

namespace kbx {
namespace {

constexpr int64_t kFewestForFit = 16;
constexpr double kDominance = 4;
constexpr int64_t kElementsAtATime = int64_t{1} << 20;

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

// Several explanations beside each other: a row for each, with `keep` for the elements that count. Sums give a column.
struct Rows {
  at::Tensor keep, count;

  at::Tensor kept(const at::Tensor& t) const { return at::where(keep, t, at::zeros({}, t.options())); }
  static at::Tensor squares(const at::Tensor& t) { return t.square().sum(1, /*keepdim=*/true); }
  at::Tensor centred(const at::Tensor& t) const { return kept(t - kept(t).sum(1, true).div_(count)); }

  // Sum of squares that is left of y after the best a + b * x. `difference` is y - x, which has the same residual, so that
  // nothing cancels where y is nearly x.
  at::Tensor fit_residual(const at::Tensor& difference, const at::Tensor& x) const {
    const at::Tensor d = centred(difference), c = centred(x), variance = squares(c);
    const at::Tensor slope = at::where(variance > 0, (d * c).sum(1, true).div_(variance), at::zeros_like(variance));
    return squares(d - c * slope);
  }
};

// Rows of `other` against y and the truth; appends a pair for each.
void add_ratios(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& other, std::vector<ResidualRatios>& ratios) {
  Rows rows;
  rows.keep = at::isfinite(other).logical_and_(at::isfinite(y).logical_and_(at::isfinite(truth)));
  rows.count = rows.keep.sum(1, true).to(at::kDouble);
  const at::Tensor from_other = rows.kept(y - other), from_truth = rows.kept((y - truth).expand_as(other));
  const at::Tensor magnitude = rows.kept(truth.abs().expand_as(other));
  // Counted, not by the median: for one long row a GPU takes seconds to find that.
  const at::Tensor dominated = rows.keep.logical_and(magnitude * kDominance < magnitude.amax(1, true));
  const at::Tensor found =
      at::cat({Rows::squares(from_other), Rows::squares(from_truth), rows.fit_residual(from_other, other),
               rows.fit_residual(from_truth, truth.expand_as(other)), rows.count, dominated.sum(1, true).to(at::kDouble)},
              1)
          .cpu();
  for (int64_t i = 0; i < found.size(0); ++i) {
    const double* f = found.const_data_ptr<double>() + i * found.size(1);
    // At least half of them are not dwarfed by the largest.
    const bool meaningful = f[4] >= kFewestForFit && f[5] <= std::floor((f[4] - 1) / 2);
    ratios.push_back({std::sqrt(f[0] / f[1]), meaningful ? std::sqrt(f[2] / f[3]) : 1});
  }
}

}  // namespace

std::vector<ResidualRatios> residual_ratios(const at::Tensor& y, const at::Tensor& truth,
                                            const std::vector<at::Tensor>& explained) {
  std::vector<ResidualRatios> ratios;
  if (y.numel() == 0) return std::vector<ResidualRatios>(explained.size(), {std::numeric_limits<double>::quiet_NaN(), 1});
  const at::Tensor y_row = real_parts(y).unsqueeze(0), truth_row = real_parts(truth).unsqueeze(0);
  const auto at_a_time = static_cast<size_t>(std::max<int64_t>(kElementsAtATime / y_row.numel(), 1));
  for (size_t begin = 0; begin < explained.size(); begin += at_a_time) {
    std::vector<at::Tensor> rows;
    for (size_t i = begin; i < std::min(explained.size(), begin + at_a_time); ++i) rows.push_back(real_parts(explained[i]));
    add_ratios(y_row, truth_row, at::stack(rows), ratios);
  }
  return ratios;
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
