// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/decomposition.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catalogue/call.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/form.h"

namespace kbx {
namespace {

constexpr const char* kContract = "decomposition:svd";
// In units of u * max(m, n). Worst honest value measured over LAPACK's gesdd and gesvd, one-sided Jacobi and bidiagonal
// QR in float32, 1 x 1 to 512 x 512, random, graded, rank deficient and repeated singular values: see the tests.
constexpr double kGrowth = 16;
// What fp32 may lose to underflow, as everywhere in the error budgets.
constexpr double kTiny = 0x1p-126;

struct Svd {
  at::Tensor a, u, s, vh;  // float64 / complex128; s is real
};

// One requirement: the largest quantity over the batch against its allowance there.
struct Quantity {
  double error = 0, allowance = 0;
  double ratio() const { return error <= allowance ? (allowance > 0 ? error / allowance : 0) : std::max(error / allowance, 1.0); }
};

at::Tensor frobenius(const at::Tensor& matrix) { return at::linalg_vector_norm(matrix, 2, at::IntArrayRef{-2, -1}); }

Quantity worst(const at::Tensor& error, const at::Tensor& allowance) {
  if (error.numel() == 0) return {};
  const at::Tensor e = error.reshape({-1}), a = allowance.expand_as(error).reshape({-1}) + kTiny;
  const int64_t at = (e / a).argmax().item<int64_t>();
  return {e[at].item<double>(), a[at].item<double>()};
}

Quantity orthogonality(const at::Tensor& columns, double p) {
  const int64_t n = columns.size(-1);
  const at::Tensor error = frobenius(at::matmul(columns.mH(), columns) - at::eye(n, columns.options()));
  return worst(error, at::full_like(error, p * std::sqrt(static_cast<double>(n))));
}

Quantity residual(const Svd& f, const at::Tensor& vh, double p) {
  const int64_t k = f.s.size(-1);
  const at::Tensor product = at::matmul(f.u.narrow(-1, 0, k) * f.s.unsqueeze(-2), vh.narrow(-2, 0, k));
  return worst(frobenius(f.a - product), p * frobenius(f.a));
}

Finding failed(const Truth& truth, const Quantity& q, const std::string& what) {
  Finding finding = finding_about(truth, kContract);
  finding.error = q.error;
  finding.budget = q.allowance;
  finding.detail = what;
  return finding;
}

// S as delivered must be sorted and non-negative.
std::optional<Finding> wrong_order(const Truth& truth, const at::Tensor& s) {
  const at::Tensor negative = s.lt(0);
  at::Tensor wrong = negative.clone();
  if (s.size(-1) > 1) {
    const at::Tensor rising = s.narrow(-1, 1, s.size(-1) - 1).gt(s.narrow(-1, 0, s.size(-1) - 1));
    wrong.narrow(-1, 1, s.size(-1) - 1).logical_or_(rising);
  }
  const at::Tensor blamed = wrong.reshape({-1}).nonzero();
  if (blamed.numel() == 0) return std::nullopt;
  Finding finding = finding_about(truth, kContract);
  const int64_t first = blamed[0].item<int64_t>();
  finding.wrong = wrong;
  finding.wrong_elements = blamed.numel();
  finding.where = index_of(first, truth.shape);
  finding.actual = s.reshape({-1})[first].item<double>();
  finding.expected = truth.value.reshape({-1})[first].item<double>();
  finding.detail =
      fmt::format("singular values must be non-negative and in descending order; {} at {} is {}", finding.actual,
                  shape_text(finding.where), negative.any().item<bool>() ? "negative" : "larger than the one before");
  return finding;
}

std::optional<Finding> not_finite(const Truth& truth, const at::Tensor& value) {
  const at::Tensor wrong = at::isfinite(value).logical_not();
  const at::Tensor blamed = wrong.reshape({-1}).nonzero();
  if (blamed.numel() == 0) return std::nullopt;
  Finding finding = finding_about(truth, kContract);
  finding.wrong = wrong;
  finding.wrong_elements = blamed.numel();
  finding.where = index_of(blamed[0].item<int64_t>(), truth.shape);
  finding.actual = std::nan("");
  finding.detail = fmt::format("{} of {} elements are NaN or infinite, first at {}", finding.wrong_elements, finding.elements,
                               shape_text(finding.where));
  return finding;
}

// The class whose bits the worst relative error shows; the borders are those of docs/tolerance.md.
Accuracy accuracy_of(double relative_error, at::ScalarType dtype) {
  const double bits = -std::log2(relative_error);
  if (dtype == at::kDouble && bits >= 18) return Accuracy::fp32;
  if (bits >= 18) return Accuracy::poor;
  if (bits >= 11.3) return Accuracy::tf32;
  return bits >= 4 ? Accuracy::bf16 : Accuracy::wrong;
}

}  // namespace

Judgement judge_decomposition(const Call& call, const Expected& expected, const Delivery& delivery,
                              const Decomposition& contract) {
  KBX_CHECK(contract.kind == DecompositionKind::svd);
  KBX_CHECK_EQ(expected.outputs.size(), 3u);
  KBX_CHECK_EQ(delivery.size(), 3u);
  Judgement judgement = accepted(Accuracy::exact);
  const auto reject = [&](Finding finding) {
    judgement.passed = false;
    judgement.findings.push_back(std::move(finding));
  };
  for (size_t i = 0; i < 3; ++i)
    if (auto finding = wrong_form(expected.outputs[i], delivery[i], kContract)) reject(std::move(*finding));
  if (judgement.passed)
    for (size_t i = 0; i < 3; ++i)
      if (auto finding = not_finite(expected.outputs[i], delivery[i].value)) reject(std::move(*finding));
  if (!judgement.passed) {
    judgement.accuracy = Accuracy::wrong;
    judgement.ratio = std::numeric_limits<double>::infinity();
    return judgement;
  }

  const Truth &truth_u = expected.outputs[0], &truth_s = expected.outputs[1], &truth_vh = expected.outputs[2];
  const at::ScalarType wide = at::isComplexType(truth_u.dtype) ? at::kComplexDouble : at::kDouble;
  const at::ScalarType real = c10::toRealValueType(truth_u.dtype);
  Svd f{{}, delivery[0].value.to(wide), delivery[1].value.to(at::kDouble), delivery[2].value.to(wide)};
  for (const Argument& argument : call.arguments)
    if (argument.kind == ArgumentKind::tensor && !argument.is_out) {
      f.a = argument.value.toTensor().to(wide);
      break;
    }
  KBX_CHECK(f.a.defined());
  const int64_t m = f.a.size(-2), n = f.a.size(-1);
  const double p = kGrowth * working_roundoff(real) * static_cast<double>(std::max<int64_t>({m, n, 1}));

  double relative = 0;  // the worst error in units of its norm
  const auto require = [&](const Truth& truth, const Quantity& q, const std::string& what) {
    judgement.ratio = std::max(judgement.ratio, q.ratio());
    if (q.error <= q.allowance) return;  // NaN is not
    relative = std::max(relative, q.error / q.allowance * p);
    reject(failed(truth, q, fmt::format("{}: {:.3g}, allowed {:.3g}", what, q.error, q.allowance)));
  };

  if (auto finding = wrong_order(truth_s, f.s)) {
    reject(std::move(*finding));
    relative = 1;
  }
  if (f.s.numel() > 0) {
    const at::Tensor sigma = truth_s.value.to(at::kDouble);
    require(truth_s, worst((f.s - sigma).abs(), p * sigma.narrow(-1, 0, 1)),
            "distance of the singular values from the exact ones");
  }
  const Quantity product = residual(f, f.vh, p);
  std::string what = "||A - U diag(S) Vh||";
  if (!(product.error <= product.allowance) && f.vh.size(-1) == f.vh.size(-2) && residual(f, f.vh.mH(), p).ratio() <= 1)
    what += " (V was returned instead of its conjugate transpose Vh)";
  require(truth_vh, product, what);
  require(truth_u, orthogonality(f.u, p), "||U^H U - I||");
  require(truth_vh, orthogonality(f.vh.mH(), p), "||Vh Vh^H - I||");

  if (!judgement.passed) judgement.ratio = std::max(judgement.ratio, std::nextafter(1.0, 2.0));
  judgement.accuracy = judgement.passed ? (real == at::kDouble ? Accuracy::fp64 : Accuracy::fp32) : accuracy_of(relative, real);
  return judgement;
}

}  // namespace kbx
