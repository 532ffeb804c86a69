// SPDX-License-Identifier: Apache-2.0
#include "oracle/budget.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/rounding.h"
#include "core/check.h"

namespace kbx {
namespace {

// Chosen by measurement: docs/tolerance.md.
constexpr double kWeight = 32;         // of L1, |r|, median|r| and E32
constexpr double kAccumulation = 4;    // of nu
constexpr double kLongestRoot = 4096;  // largest nu
constexpr double kLongestDrift = 128;  // largest nu-bar
constexpr double kDrift = 0.25;        // of nu-bar^2
constexpr double kEager = 3;           // of ET
constexpr int64_t kInnerNeighbours = 128, kEagerNeighbours = 32;
constexpr double kDoubleInFloat = 0x1p-29;  // an error of float32 arithmetic in units of float64's

at::Tensor finite_or(const at::Tensor& t, double otherwise) { return at::where(at::isfinite(t), t, at::full_like(t, otherwise)); }

at::Tensor largest(const std::vector<at::Tensor>& draws) {
  at::Tensor result = finite_or(draws.front(), 0);
  for (size_t i = 1; i < draws.size(); ++i) result = at::maximum(result, finite_or(draws[i], 0));
  return result;
}

// Element by element, the lower one of an even number: sorted by exchanging neighbours, which is far faster for a few tensors than
// a median along a dimension.
at::Tensor median_of(std::vector<at::Tensor> draws) {
  for (size_t pass = 0; pass < draws.size(); ++pass)
    for (size_t i = pass % 2; i + 1 < draws.size(); i += 2) {
      at::Tensor smaller = at::minimum(draws[i], draws[i + 1]);
      draws[i + 1] = at::maximum(draws[i], draws[i + 1]);
      draws[i] = std::move(smaller);
    }
  return draws[(draws.size() - 1) / 2];
}

double largest_element(const at::Tensor& t) { return t.numel() == 0 ? 0 : t.max().item<double>(); }

}  // namespace

at::Tensor rms_change(const std::vector<at::Tensor>& signs) {
  at::Tensor sum = at::zeros_like(signs.front());
  for (const at::Tensor& draw : signs) sum.add_(finite_or(draw, 0).square_());
  return sum.div_(static_cast<double>(signs.size())).sqrt_();
}

at::Tensor componentwise_change(const std::vector<at::Tensor>& signs, const std::vector<at::Tensor>& cauchy) {
  std::vector<at::Tensor> ranked;
  for (const at::Tensor& draw : cauchy) ranked.push_back(finite_or(draw, std::numeric_limits<double>::infinity()));
  return at::maximum(finite_or(median_of(std::move(ranked)), 0), largest(signs));
}

at::Tensor term_count_root(const at::Tensor& l1, const at::Tensor& l2) {
  return at::where(l2 > 0, l1.div(l2.clamp_min(std::numeric_limits<double>::min())).clamp_(1, kLongestRoot), at::ones_like(l1));
}

double median_magnitude(const at::Tensor& truth) {
  const at::Tensor finite = truth.masked_select(at::isfinite(truth));
  return finite.numel() == 0 ? 0 : finite.abs().median().item<double>();
}

at::Tensor order_by_magnitude(const at::Tensor& truth) {
  // Magnitudes are ordered like the integers that their bits are, for which ATen has a sort of linear time. float32's will do:
  // whose magnitudes agree to 24 bits are neighbours in any order.
  return truth.abs().flatten().to(at::kFloat).view(at::kInt).argsort(/*stable=*/true, 0, false);
}

at::Tensor neighbour_max(const at::Tensor& values, const at::Tensor& order, int64_t width) {
  const int64_t count = values.numel();
  if (count == 0) return values.clone();
  width = std::min(width, count - 1);
  // Windows of 1, 2, 4, ... elements from left to right, then two that overlap cover the whole window: n log(width) work.
  const int64_t window = 2 * width + 1;
  at::Tensor best =
      at::constant_pad_nd(values.flatten().index_select(0, order), {width, width}, -std::numeric_limits<double>::infinity());
  int64_t covered = 1;
  while (covered < window) {
    const int64_t step = std::min(covered, window - covered);
    const int64_t left = best.numel() - step;
    best = at::maximum(best.narrow(0, 0, left), best.narrow(0, step, left));
    covered += step;
  }
  KBX_CHECK_EQ(best.numel(), count);
  at::Tensor result = at::empty_like(best);
  result.index_copy_(0, order, best);
  return result.view(values.sizes());
}

at::Tensor eager_error(const at::Tensor& eager, const at::Tensor& truth) { return finite_or(excess(eager, truth), 0); }

Budget budget_of(const Samples& samples, at::ScalarType type, const BudgetTerms& terms) {
  const double u = working_roundoff(type);
  const bool wide = type == at::kDouble, sixteen = type == at::kHalf || type == at::kBFloat16;
  const at::Tensor truth = finite_or(samples.truth, 0), magnitude = truth.abs();
  const at::Tensor l1 = componentwise_change(samples.signs, samples.cauchy), l2 = rms_change(samples.signs);
  const at::Tensor nu = term_count_root(l1, l2);
  const at::Tensor inner = largest(samples.inner);

  at::Tensor budget =
      at::full_like(truth, terms.floor ? std::ldexp(1.0, float_format(wide ? type : at::kFloat).least_exponent) : 0.0);
  if (truth.numel() == 0) return {budget, l2};
  const at::Tensor order = wide ? at::Tensor() : order_by_magnitude(samples.truth);
  if (terms.conditioning) budget.add_(l1, kWeight);
  if (terms.magnitude) budget.add_(magnitude, kWeight * u);
  if (terms.scale) budget.add_(kWeight * u * median_magnitude(samples.truth));
  if (terms.accumulation) budget.add_(nu * magnitude, kAccumulation * u);
  if (terms.inner) {
    if (wide)
      budget.add_(kWeight * kDoubleInFloat * largest_element(inner));
    else
      budget.add_(neighbour_max(inner, order, kInnerNeighbours), kWeight);
  }
  if (terms.oracle && !wide) budget.add_(u * std::max(0.0, largest_element(inner - kWeight * (l1 + u * magnitude))));
  if (terms.drift && sixteen) {
    const double length = std::min(kLongestDrift, nu.median().item<double>());
    budget.add_(magnitude, kDrift * length * length * u);
  }
  if (terms.eager && sixteen)
    budget.add_(neighbour_max(eager_error(samples.eager, samples.truth), order, kEagerNeighbours), kEager);
  return {budget, l2};
}

}  // namespace kbx
