// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <limits>

#include "catalogue/reduce/min_gelu.h"

namespace kbx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kMostEqual = 64;  // indices of a row that can be told to be as good as the best
constexpr double kRoundings = 4;    // of the operations that follow the error function or tanh, and of that itself

// Half the distance of numbers around 1.
double roundoff(at::ScalarType type) {
  if (type == at::kHalf) return 0x1p-11;
  if (type == at::kBFloat16) return 0x1p-8;
  return type == at::kDouble ? 0x1p-53 : 0x1p-24;
}

}  // namespace

Values smallest_gelus(const Args& args) {
  const at::Tensor input = args.tensor("input").to(at::kDouble);
  const int64_t dim = args.integer("dim");
  const bool keepdim = args.flag("keepdim");
  at::Tensor y = at::gelu(input, args.text("approximate"));
  y = at::where(at::isnan(y), at::full_like(y, -kInfinity), y);
  const auto [sorted, order] = at::sort(y, dim);
  const at::Tensor allowed = input.abs().gather(dim, order) * (kRoundings * roundoff(args.own_type("input")));

  const auto taken = [&](const at::Tensor& t, int64_t k) { return keepdim ? t.narrow(dim, k, 1) : t.select(dim, k); };
  const int64_t length = input.dim() == 0 ? 1 : input.size(dim);
  if (input.dim() == 0) return {at::full_like(y, std::numeric_limits<double>::quiet_NaN()), order};
  const at::Tensor least = taken(sorted, 0), best = taken(order, 0);
  Values sides{at::full_like(least, std::numeric_limits<double>::quiet_NaN()), best};  // NaN: nothing decides between them
  for (int64_t k = 1; k < std::min(length, kMostEqual); ++k) {
    const at::Tensor value = taken(sorted, k);
    const at::Tensor as_good = value.eq(least).logical_or_((value - least).le(taken(allowed, k) + taken(allowed, 0)));
    sides.push_back(at::where(as_good, taken(order, k), best));
  }
  return sides;
}

}  // namespace kbx
