// SPDX-License-Identifier: Apache-2.0
#include "contracts/numeric.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

#include "contracts/rounding.h"
#include "contracts/tally.h"

namespace kbx {
namespace {

// Elements where y or the truth is not finite: which of them are right.
at::Tensor special_accepted(const Chunk& c) {
  const at::Tensor y = c.y.to(at::kDouble), finite_truth = at::isfinite(c.truth);
  // The truth within its budget overflows the type: written with the ends of the interval, NaN compares false.
  const at::Tensor overflow = at::isinf(y)
                                  .logical_and_(finite_truth)
                                  .logical_and_(round_to(c.truth - c.budget, c.y.scalar_type()).le(y))
                                  .logical_and_(round_to(c.truth + c.budget, c.y.scalar_type()).ge(y));
  at::Tensor accepted = same_value(y, c.truth).logical_or_(overflow);
  if (c.eager.defined()) {
    const at::Tensor eager = c.eager.to(at::kDouble);
    accepted.logical_or_(at::isfinite(eager).logical_not_().logical_and_(same_value(y, eager)));
  }
  return accepted;
}

}  // namespace

Comparison compare_numeric(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& budget, const at::Tensor& eager) {
  // What is not finite makes it NaN or infinite, and NaN is what amax() prefers.
  const UpperBound bound = [](const Chunk& c) { return signed_excess(c.y, c.truth).div_(c.budget).amax(); };
  const Score score = [](const Chunk& c) {
    const at::Tensor excesses = excess(c.y, c.truth).div_(c.budget);
    const at::Tensor finite = at::isfinite(c.y).logical_and_(at::isfinite(c.truth));
    if (finite.all().item<bool>()) return excesses;
    const at::Tensor special =
        at::zeros_like(excesses).masked_fill_(special_accepted(c).logical_not_(), std::numeric_limits<double>::infinity());
    return at::where(finite, excesses, special);
  };
  return compare_by_chunks(y, truth, budget, eager, score, bound);
}

}  // namespace kbx
