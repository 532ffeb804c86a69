// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/cholesky.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/real.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "catalogue/call.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 4;  // of u (1 + sqrt(n)). Measured: see the tests

at::Tensor not_positive_on_the_diagonal(const at::Tensor& factor) {
  const at::Tensor d = at::diagonal(factor, 0, -2, -1);
  at::Tensor good = d.is_complex() ? at::real(d).gt(0).logical_and(at::imag(d).eq(0)) : d.gt(0);
  at::Tensor wrong = at::zeros_like(factor, factor.options().dtype(at::kBool));
  at::diagonal(wrong, 0, -2, -1).copy_(good.logical_not());
  return wrong;
}

Quantity residual(const at::Tensor& a, const at::Tensor& l, double p) {
  return worst(frobenius(a - at::matmul(l, l.mH())), p * frobenius(at::matmul(l.abs(), l.abs().mT())));
}

}  // namespace

Judgement judge_cholesky(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 1u);
  const Truth& truth = expected.outputs[0];
  const bool upper = Args(call).flag("upper");
  const at::Tensor a = first_matrix(call);
  const double roundoff = working_roundoff(c10::toRealValueType(truth.dtype));
  const double p = kGrowth * roundoff * (1 + std::sqrt(static_cast<double>(a.size(-1))));
  MatrixJudgement judgement("decomposition:cholesky", truth.dtype, p);
  if (!judgement.well_formed(expected, delivery)) return judgement.result();
  const at::Tensor factor = widened(delivery[0].value);

  judgement.require_none(truth, factor, (upper ? factor.tril(-1) : factor.triu(1)).ne(0),
                         upper ? "not zero below the diagonal of U" : "not zero above the diagonal of L");
  judgement.require_none(truth, factor, not_positive_on_the_diagonal(factor), "not real and positive on the diagonal");
  const Quantity product = residual(a, upper ? factor.mH() : factor, p);
  std::string what = upper ? "||A - U^H U||" : "||A - L L^H||";
  if (!product.holds() && residual(a, upper ? factor : factor.mH(), p).holds())
    what += upper ? " (U U^H = A holds)" : " (L^H L = A holds)";
  judgement.require(truth, product, what);
  return judgement.result();
}

}  // namespace kbx
