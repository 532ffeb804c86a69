// SPDX-License-Identifier: Apache-2.0
#include "contracts/exact.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

#include "contracts/rounding.h"
#include "contracts/tally.h"

namespace kbx {
namespace {

at::Tensor infinite_where(const at::Tensor& wrong) {
  return at::zeros_like(wrong, wrong.options().dtype(at::kDouble)).masked_fill_(wrong, std::numeric_limits<double>::infinity());
}

// The usual case: every element is the truth. Otherwise 2, and the scores tell.
at::Tensor bound_of_equality(const Chunk& c) { return c.y.ne(c.truth).any().to(at::kDouble).mul_(2); }

}  // namespace

Comparison compare_exact(const at::Tensor& y, const at::Tensor& truth) {
  const Score score = [](const Chunk& c) {
    if (!c.y.is_floating_point()) return infinite_where(c.y.ne(c.truth));
    return infinite_where(same_value(c.y.to(at::kDouble), round_to(c.truth, c.y.scalar_type())).logical_not_());
  };
  return compare_by_chunks(y, truth, {}, {}, score, bound_of_equality);
}

Comparison compare_integers(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& free_steps) {
  const Score score = [](const Chunk& c) {
    // Within one step without subtracting, which could wrap.
    const at::Tensor a = c.y.to(at::kLong), b = c.truth.to(at::kLong);
    const at::Tensor adjacent = (a.gt(b).logical_and_(a.sub(1).eq(b))).logical_or_(a.lt(b).logical_and_(a.add(1).eq(b)));
    const at::Tensor free = adjacent.logical_and_(c.budget.ge(1));
    return infinite_where(a.ne(b).logical_and_(free.logical_not_()));
  };
  return compare_by_chunks(y, truth, free_steps, {}, score, bound_of_equality);
}

}  // namespace kbx
