// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/qr.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 5;  // of u (1 + sqrt(max(m, n))). Measured: see the tests
constexpr double kMostCondition = 0x1p26;

Quantity orthogonality(const at::Tensor& q, double p) {
  const int64_t columns = q.size(-1);
  const at::Tensor error = frobenius(at::matmul(q.mH(), q) - at::eye(columns, q.options()));
  return worst(error, at::full_like(error, p * std::sqrt(static_cast<double>(columns))));
}

// The condition of R, within bounds.
at::Tensor condition(const at::Tensor& r) {
  const at::Tensor s = at::linalg_svdvals(r);
  return (s.select(-1, 0) / s.select(-1, -1).clamp_min(std::numeric_limits<double>::min())).clamp(1, kMostCondition);
}

// The Q with orthonormal columns that leaves least of A - Q R.
at::Tensor nearest_q(const at::Tensor& a, const at::Tensor& r) {
  const auto [u, s, vh] = at::linalg_svd(at::matmul(a, r.mH()), /*full_matrices=*/false);
  return at::matmul(u, vh);
}

}  // namespace

Judgement judge_qr(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 2u);
  const Truth &truth_q = expected.outputs[0], &truth_r = expected.outputs[1];
  const at::Tensor a = first_matrix(call);
  const bool has_q = truth_q.shape.size() >= 2;
  const double roundoff = working_roundoff(c10::toRealValueType(truth_r.dtype));
  const double p = kGrowth * roundoff * (1 + std::sqrt(static_cast<double>(std::max(a.size(-2), a.size(-1)))));
  MatrixJudgement judgement("decomposition:qr", truth_r.dtype, p);
  if (!judgement.well_formed(expected, delivery)) return judgement.result();
  const at::Tensor r = widened(delivery[1].value);

  judgement.require_none(truth_r, r, r.tril(-1).ne(0), "not zero below the diagonal of R");
  if (has_q) {
    const at::Tensor q = widened(delivery[0].value);
    judgement.require(truth_q, orthogonality(q, p), "||Q^H Q - I||");
    judgement.require(truth_r, worst(frobenius(a - at::matmul(q, r)), p * frobenius(a)), "||A - Q R||");
  } else if (r.numel() > 0) {
    const at::Tensor own = (p / roundoff * 0x1p-53) * condition(widened(truth_r.value));
    judgement.require(truth_r, worst(frobenius(a - at::matmul(nearest_q(a, r), r)), (own + p) * frobenius(a)),
                      "||A - Q R|| for the orthogonal Q that fits best");
  }
  return judgement.result();
}

}  // namespace kbx
