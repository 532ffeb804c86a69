// SPDX-License-Identifier: Apache-2.0
#include "contracts/disagreement.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contracts/rounding.h"
#include "contracts/tally.h"
#include "core/check.h"

namespace kbx {
namespace {

// Three tensors of them stay in the cache of a large GPU (50 MB on an H200).
constexpr int64_t kChunkBytes = int64_t{16} << 20;

double largest_of(at::ScalarType type) {
  if (!has_float_format(type)) return std::numeric_limits<double>::infinity();
  const FloatFormat format = float_format(type);
  return std::ldexp(2 - std::ldexp(1.0, 1 - format.digits), 1 - format.least_exponent);
}

}  // namespace

at::Tensor exceeds(const at::Tensor& a, const at::Tensor& b, double most) {
  KBX_CHECK(a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && a.numel() > 0);
  const at::Tensor all_a = flat(a), all_b = flat(b);
  // As a number of that type the limit would be infinite, and infinities would agree.
  if (most > 0 && !(most < largest_of(all_a.scalar_type()))) return at::ones({}, a.options().dtype(at::kBool));
  const int64_t step = kChunkBytes / static_cast<int64_t>(all_a.itemsize());
  std::vector<at::Tensor> found;
  for (int64_t begin = 0; begin < all_a.numel(); begin += step) {
    const int64_t length = std::min(step, all_a.numel() - begin);
    const at::Tensor left = all_a.narrow(0, begin, length), right = all_b.narrow(0, begin, length);
    // NaN is what amax() prefers, and it is not at most anything.
    found.push_back(most > 0 ? left.sub(right).abs_().amax().le(most).logical_not_() : left.ne(right).any());
  }
  return found.size() == 1 ? found.front() : at::stack(found).any();
}

}  // namespace kbx
