// SPDX-License-Identifier: Apache-2.0
#include "contracts/tally.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace kbx {
namespace {

// A chunk's temporaries take at most 150 MiB; those of a bound stay in the cache of a large GPU (50 MB on an H200).
constexpr int64_t kChunkElements = int64_t{1} << 21;

std::vector<int64_t> unravel(int64_t index, at::IntArrayRef shape) {
  std::vector<int64_t> where(shape.size());
  for (size_t d = shape.size(); d-- > 0; index /= shape[d]) where[d] = index % shape[d];
  return where;
}

double at_index(const at::Tensor& flat_tensor, int64_t index) {
  return flat_tensor.narrow(0, index, 1).to(at::kDouble).item<double>();
}

}  // namespace

at::Tensor flat(const at::Tensor& t) {
  return (t.is_complex() ? at::view_as_real(t.resolve_conj()) : t.resolve_neg()).reshape(-1);
}

at::Tensor same_value(const at::Tensor& a, const at::Tensor& b) {
  return a.eq(b).logical_or_(at::isnan(a).logical_and_(at::isnan(b)));
}

Comparison compare_by_chunks(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& budget, const at::Tensor& eager,
                             const Score& score, const UpperBound& bound) {
  KBX_CHECK(y.sizes() == truth.sizes());
  Comparison result;
  result.elements = y.numel();
  const int64_t parts = y.is_complex() ? 2 : 1;
  const at::Tensor all_y = flat(y), all_truth = flat(truth), all_eager = eager.defined() ? flat(eager) : eager;
  at::Tensor all_budget = budget.defined() ? budget.reshape(-1) : budget;
  if (budget.defined() && parts == 2) all_budget = all_budget.repeat_interleave(2);

  const auto chunk = [&](int64_t begin) {
    const int64_t length = std::min(kChunkElements, all_y.numel() - begin);
    const auto cut = [&](const at::Tensor& t) { return t.defined() ? t.narrow(0, begin, length) : t; };
    return Chunk{cut(all_y), cut(all_truth), cut(all_budget), cut(all_eager)};
  };
  if (bound && all_y.numel() > 0) {
    std::vector<at::Tensor> bounds;
    for (int64_t begin = 0; begin < all_y.numel(); begin += kChunkElements) bounds.push_back(bound(chunk(begin)));
    const double ratio = at::stack(bounds).amax().item<double>();  // NaN if one is
    if (ratio <= 1) {
      result.ratio = ratio > 0 ? ratio : 0;
      result.rounded = result.ratio == 0;
      return result;
    }
  }

  int64_t worst = -1;
  std::vector<at::Tensor> wrong;
  for (int64_t begin = 0; begin < all_y.numel(); begin += kChunkElements) {
    const at::Tensor scores =
        at::nan_to_num(score(chunk(begin)), std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
    const auto [largest, index] = scores.max(0);
    const double ratio = largest.item<double>();
    if (worst < 0 || ratio > result.ratio) {
      result.ratio = ratio;
      worst = begin + index.item<int64_t>();
    }
    wrong.push_back(scores > 1);
  }
  if (worst < 0) return result;  // no elements
  result.rounded = result.ratio == 0;
  if (!(result.ratio > 1)) return result;

  result.wrong = at::cat(wrong);
  if (parts == 2) result.wrong = result.wrong.view({-1, 2}).any(-1);
  result.wrong = result.wrong.view(y.sizes());
  result.wrong_elements = result.wrong.sum().item<int64_t>();
  result.where = unravel(worst / parts, y.sizes());
  result.actual = at_index(all_y, worst);
  result.expected = at_index(all_truth, worst);
  result.budget = budget.defined() ? at_index(all_budget, worst) : 0;
  if (std::isnan(result.actual)) result.actual = std::abs(result.actual);  // nobody needs to read "-nan"
  result.error = std::abs(result.actual - result.expected);
  return result;
}

}  // namespace kbx
