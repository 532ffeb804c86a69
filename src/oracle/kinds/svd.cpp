// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/svd.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

// In units of u * max(m, n). Worst honest value measured over LAPACK's gesdd and gesvd, one-sided Jacobi and bidiagonal
// QR in float32, 1 x 1 to 512 x 512, random, graded, rank deficient and repeated singular values: see the tests.
constexpr double kGrowth = 16;

struct Factors {
  at::Tensor a, u, s, vh;
};

Quantity orthogonality(const at::Tensor& columns, double p) {
  const int64_t n = columns.size(-1);
  const at::Tensor error = frobenius(at::matmul(columns.mH(), columns) - at::eye(n, columns.options()));
  return worst(error, at::full_like(error, p * std::sqrt(static_cast<double>(n))));
}

Quantity residual(const Factors& f, const at::Tensor& vh, double p) {
  const int64_t k = f.s.size(-1);
  const at::Tensor product = at::matmul(f.u.narrow(-1, 0, k) * f.s.unsqueeze(-2), vh.narrow(-2, 0, k));
  return worst(frobenius(f.a - product), p * frobenius(f.a));
}

// True where a value is larger than the one before.
at::Tensor rising(const at::Tensor& s) {
  at::Tensor wrong = at::zeros_like(s, s.options().dtype(at::kBool));
  const int64_t rest = s.size(-1) - 1;
  if (rest > 0) wrong.narrow(-1, 1, rest).copy_(s.narrow(-1, 1, rest).gt(s.narrow(-1, 0, rest)));
  return wrong;
}

}  // namespace

Judgement judge_svd(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 3u);
  const Truth &truth_u = expected.outputs[0], &truth_s = expected.outputs[1], &truth_vh = expected.outputs[2];
  const at::Tensor a = first_matrix(call);
  const int64_t m = a.size(-2), n = a.size(-1);
  const double p =
      kGrowth * working_roundoff(c10::toRealValueType(truth_u.dtype)) * static_cast<double>(std::max<int64_t>({m, n, 1}));
  MatrixJudgement judgement("decomposition:svd", truth_u.dtype, p);
  if (!judgement.well_formed(expected, delivery)) return judgement.result();
  const Factors f{a, widened(delivery[0].value), widened(delivery[1].value), widened(delivery[2].value)};

  judgement.require_none(truth_s, f.s, f.s.lt(0), "negative, where singular values are not");
  judgement.require_none(truth_s, f.s, rising(f.s),
                         "larger than the one before, where singular values must be in descending order");
  if (f.s.numel() > 0) {
    const at::Tensor sigma = truth_s.value.to(at::kDouble);
    judgement.require(truth_s, worst((f.s - sigma).abs(), p * sigma.narrow(-1, 0, 1)),
                      "distance of the singular values from the exact ones");
  }
  const Quantity product = residual(f, f.vh, p);
  std::string what = "||A - U diag(S) Vh||";
  if (!product.holds() && f.vh.size(-1) == f.vh.size(-2) && residual(f, f.vh.mH(), p).holds())
    what += " (V was returned instead of its conjugate transpose Vh)";
  judgement.require(truth_vh, product, what);
  judgement.require(truth_u, orthogonality(f.u, p), "||U^H U - I||");
  judgement.require(truth_vh, orthogonality(f.vh.mH(), p), "||Vh Vh^H - I||");
  return judgement.result();
}

}  // namespace kbx
