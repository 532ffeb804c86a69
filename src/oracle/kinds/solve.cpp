// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/solve.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/minimum.h>

#include <algorithm>
#include <cmath>

#include "catalogue/call.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 3;  // of u (1 + sqrt(n)). Measured: see the tests

struct System {
  at::Tensor a, b, x, best;  // b, x and the oracle's x as matrices
};

at::Tensor column_norms(const at::Tensor& matrix) { return at::linalg_vector_norm(matrix, 2, at::IntArrayRef{-2}); }

// The matrix whose Cholesky factor is given. What is stored in the other triangle does not count.
at::Tensor from_factor(const at::Tensor& factor, bool upper) {
  if (upper) return at::matmul(factor.triu().mH(), factor.triu());
  return at::matmul(factor.tril(), factor.tril().mH());
}

Quantity residual(const System& s, double p) {
  const at::Tensor norm = spectral_norm(s.a).unsqueeze(-1);
  return worst(column_norms(s.b - at::matmul(s.a, s.x)), p * (norm * column_norms(s.x) + column_norms(s.b)));
}

Quantity normal_residual(const System& s, double p) {
  const at::Tensor norm = spectral_norm(s.a).unsqueeze(-1), r = s.b - at::matmul(s.a, s.x);
  return worst(column_norms(at::matmul(s.a.mH(), r)), p * norm * (norm * column_norms(s.x) + column_norms(s.b)));
}

Quantity beyond_minimum(const System& s, double p) {
  const at::Tensor norm = spectral_norm(s.a).unsqueeze(-1);
  const at::Tensor least = column_norms(s.b - at::matmul(s.a, s.best)), r = column_norms(s.b - at::matmul(s.a, s.x));
  return worst(r - least, p * (norm * (column_norms(s.x) + column_norms(s.best)) + 2 * column_norms(s.b)));
}

Quantity inverse_residual(const at::Tensor& a, const at::Tensor& x, double p) {
  const at::Tensor one = at::eye(a.size(-1), a.options());
  const at::Tensor right = spectral_norm(at::matmul(a, x) - one), left = spectral_norm(at::matmul(x, a) - one);
  return worst(at::minimum(right, left), p * spectral_norm(a) * spectral_norm(x));
}

}  // namespace

Judgement judge_solve(const Call& call, const Expected& expected, const Delivery& delivery, const Solve& contract) {
  KBX_CHECK_EQ(expected.outputs.size(), 1u);
  const Truth& truth = expected.outputs[0];
  const Args args(call);
  System s{.a = widened(args.tensor(contract.matrix)), .b = {}, .x = {}, .best = widened(truth.value)};
  const double p = kGrowth * working_roundoff(c10::toRealValueType(truth.dtype)) *
                   (1 + std::sqrt(static_cast<double>(std::max(s.a.size(-2), s.a.size(-1)))));
  MatrixJudgement judgement(contract_name(contract), truth.dtype, p);
  if (!judgement.well_formed(expected, delivery)) return judgement.result();
  s.x = widened(delivery[0].value);
  if (contract.equation == Equation::inverse) {
    judgement.require(truth, inverse_residual(s.a, s.x, p), "the smaller of ||A X - I|| and ||X A - I||");
    return judgement.result();
  }
  s.b = widened(args.tensor(contract.right_hand_side));
  if (s.best.dim() < s.a.dim())
    for (at::Tensor* vector : {&s.b, &s.x, &s.best}) *vector = vector->unsqueeze(-1);
  if (contract.equation == Equation::cholesky) s.a = from_factor(s.a, args.flag("upper"));

  if (contract.equation == Equation::least_squares) {
    judgement.require(truth, normal_residual(s, p), "||A^H (b - A x)||");
    judgement.require(truth, beyond_minimum(s, p), "||b - A x|| beyond the smallest possible");
  } else {
    judgement.require(truth, residual(s, p), "||b - A x||");
  }
  return judgement.result();
}

}  // namespace kbx
