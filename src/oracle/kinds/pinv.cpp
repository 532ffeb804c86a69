// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/pinv.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cmath>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 8;          // of u sqrt(max(m, n)). Measured: see the tests
constexpr double kLeastGap = 0x1p-10;  // below, the rank itself is not certain

}  // namespace

Judgement judge_pinv(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 1u);
  const Truth& truth = expected.outputs[0];
  const at::Tensor a = first_matrix(call), best = widened(truth.value);
  const double p = kGrowth * working_roundoff(c10::toRealValueType(truth.dtype)) *
                   std::sqrt(static_cast<double>(std::max<int64_t>({a.size(-2), a.size(-1), 1})));
  MatrixJudgement judgement("decomposition:pinv", truth.dtype, p);
  if (!judgement.well_formed(expected, delivery) || a.numel() == 0) return judgement.result();
  const at::Tensor x = widened(delivery[0].value);

  const at::Tensor kept = at::matmul(at::matmul(a, best), a);
  const at::Tensor norm = spectral_norm(a), inverse = spectral_norm(best);
  const at::Tensor gap = (1 - spectral_norm(a - kept) * inverse).clamp_min(kLeastGap);
  const at::Tensor allowed = p * norm * inverse / gap;
  const at::Tensor left = at::matmul(kept, x), right = at::matmul(x, kept);
  judgement.require(truth, worst(spectral_norm(at::matmul(left, kept) - kept), allowed * norm), "||A X A - A||");
  judgement.require(truth, worst(spectral_norm(at::matmul(right, x) - x), allowed * inverse), "||X A X - X||");
  judgement.require(truth, worst(spectral_norm(left.mH() - left), allowed), "||(A X)^H - A X||");
  judgement.require(truth, worst(spectral_norm(right.mH() - right), allowed), "||(X A)^H - X A||");
  return judgement.result();
}

}  // namespace kbx
