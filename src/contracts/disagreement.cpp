// SPDX-License-Identifier: Apache-2.0
#include "contracts/disagreement.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <vector>

#include "core/check.h"

namespace kbx {
namespace {

// Three tensors of them stay in the cache of a large GPU (50 MB on an H200).
constexpr int64_t kChunkBytes = int64_t{16} << 20;

at::Tensor flat(const at::Tensor& t) {
  return (t.is_complex() ? at::view_as_real(t.resolve_conj()) : t.resolve_neg()).reshape(-1);
}

}  // namespace

at::Tensor exceeds(const at::Tensor& a, const at::Tensor& b, double most) {
  KBX_CHECK(a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() && a.numel() > 0);
  const at::Tensor all_a = flat(a), all_b = flat(b);
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
