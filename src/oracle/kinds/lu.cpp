// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/lu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 4;  // of u (1 + sqrt(k)). Measured: see the tests
constexpr double kReciprocal = 4;

// Where P is no permutation: entries that are neither 0 nor 1, and rows and columns that have not exactly one 1.
at::Tensor no_permutation(const at::Tensor& p) {
  const at::Tensor ones = p.eq(1);
  const at::Tensor rows = ones.sum(-1, true).ne(1), columns = ones.sum(-2, true).ne(1);
  return ones.logical_or(p.eq(0)).logical_not().logical_or(rows).logical_or(columns);
}

at::Tensor not_unit_diagonal(const at::Tensor& l) {
  at::Tensor wrong = at::zeros_like(l, l.options().dtype(at::kBool));
  at::diagonal(wrong, 0, -2, -1).copy_(at::diagonal(l, 0, -2, -1).ne(1));
  return wrong;
}

Quantity residual(const at::Tensor& a, const at::Tensor& permuted, const at::Tensor& l, const at::Tensor& u, double p) {
  return worst(frobenius(a - at::matmul(permuted, u)), p * frobenius(at::matmul(l.abs(), u.abs())));
}

}  // namespace

Judgement judge_lu(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 3u);
  const Truth &truth_p = expected.outputs[0], &truth_l = expected.outputs[1], &truth_u = expected.outputs[2];
  const at::Tensor a = first_matrix(call);
  const bool pivots = truth_p.shape.size() >= 2;
  const double roundoff = working_roundoff(c10::toRealValueType(truth_u.dtype));
  const double p = kGrowth * roundoff * (1 + std::sqrt(static_cast<double>(std::min(a.size(-2), a.size(-1)))));
  MatrixJudgement judgement("decomposition:lu", truth_u.dtype, p);
  if (!judgement.well_formed(expected, delivery)) return judgement.result();
  const at::Tensor permutation = widened(delivery[0].value), l = widened(delivery[1].value), u = widened(delivery[2].value);

  judgement.require_none(truth_l, l, l.triu(1).ne(0), "not zero above the diagonal of L");
  judgement.require_none(truth_l, l, not_unit_diagonal(l), "not one on the diagonal of L");
  judgement.require_none(truth_u, u, u.tril(-1).ne(0), "not zero below the diagonal of U");
  at::Tensor permuted = l;
  if (pivots) {
    judgement.require_none(truth_p, permutation, no_permutation(permutation), "not those of a permutation matrix");
    judgement.require_none(truth_l, l, l.abs().gt(1 + kReciprocal * roundoff),
                           "larger than one in L, which partial pivoting excludes");
    permuted = at::matmul(permutation, l);
  }
  const Quantity product = residual(a, permuted, l, u, p);
  std::string what = pivots ? "||A - P L U||" : "||A - L U||";
  if (pivots && !product.holds()) {
    if (residual(a, at::matmul(permutation.mT(), l), l, u, p).holds())
      what += " (P is transposed: P'A = L U was solved, where A = P L U is asked for)";
    else if (residual(a, l, l, u, p).holds())
      what += " (A = L U holds without the P that was returned)";
  }
  judgement.require(truth_u, product, what);
  return judgement.result();
}

}  // namespace kbx
