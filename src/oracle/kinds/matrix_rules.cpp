// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/matrix_rules.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catalogue/call.h"
#include "core/check.h"

namespace kbx {
namespace {

constexpr double kTiny = 0x1p-126;

// The class whose bits the worst relative error shows; the borders are those of docs/tolerance.md.
Accuracy accuracy_of(double relative_error, at::ScalarType type) {
  const double bits = -std::log2(relative_error);
  if (type == at::kDouble && bits >= 18) return Accuracy::fp32;
  if (bits >= 18) return Accuracy::poor;
  if (bits >= 11.3) return Accuracy::tf32;
  return bits >= 4 ? Accuracy::bf16 : Accuracy::wrong;
}

}  // namespace

double Quantity::ratio() const {
  if (!holds()) return std::max(error / allowance, std::nextafter(1.0, 2.0));
  return allowance > 0 ? error / allowance : 0;
}

Quantity worst(const at::Tensor& error, const at::Tensor& allowance) {
  if (error.numel() == 0) return {};
  const at::Tensor e = error.reshape({-1}), a = allowance.expand_as(error).reshape({-1}) + kTiny;
  const int64_t at = (e / a).argmax().item<int64_t>();  // NaN counts as the largest
  return {e[at].item<double>(), a[at].item<double>()};
}

at::Tensor frobenius(const at::Tensor& matrix) { return at::linalg_vector_norm(matrix, 2, at::IntArrayRef{-2, -1}); }

at::Tensor spectral_norm(const at::Tensor& matrix) {
  if (matrix.size(-1) == 0 || matrix.size(-2) == 0)
    return at::zeros(matrix.sizes().slice(0, matrix.dim() - 2), matrix.options().dtype(at::kDouble));
  return at::linalg_svdvals(matrix).select(-1, 0);
}

at::Tensor widened(const at::Tensor& value) { return value.to(value.is_complex() ? at::kComplexDouble : at::kDouble); }

at::Tensor first_matrix(const Call& call) {
  for (const Argument& argument : call.arguments)
    if (argument.kind == ArgumentKind::tensor && !argument.is_out) return widened(argument.value.toTensor());
  check_failed(__FILE__, __LINE__, "a contract about matrices needs a tensor argument");
}

MatrixJudgement::MatrixJudgement(std::string contract, at::ScalarType type, double p)
    : contract_(std::move(contract)), type_(c10::toRealValueType(type)), p_(p), judgement_(accepted(Accuracy::exact)) {}

bool MatrixJudgement::well_formed(const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(delivery.size(), expected.outputs.size());
  for (size_t i = 0; i < delivery.size(); ++i)
    if (auto finding = wrong_form(expected.outputs[i], delivery[i], contract_)) reject(std::move(*finding));
  if (judgement_.passed)
    for (size_t i = 0; i < delivery.size(); ++i)
      require_none(expected.outputs[i], delivery[i].value, at::isfinite(delivery[i].value).logical_not(), "NaN or infinite");
  if (!judgement_.passed) {
    relative_ = 1;
    judgement_.ratio = std::numeric_limits<double>::infinity();
  }
  return judgement_.passed;
}

void MatrixJudgement::require(const Truth& truth, const Quantity& quantity, const std::string& what) {
  judgement_.ratio = std::max(judgement_.ratio, quantity.ratio());
  if (quantity.holds()) return;
  const double relative = quantity.error / quantity.allowance * p_;
  relative_ = std::max(relative_, std::isfinite(relative) ? relative : 1.0);
  Finding finding = finding_about(truth, contract_);
  finding.error = quantity.error;
  finding.budget = quantity.allowance;
  finding.detail = fmt::format("{}: {:.3g}, allowed {:.3g}", what, quantity.error, quantity.allowance);
  reject(std::move(finding));
}

void MatrixJudgement::require_none(const Truth& truth, const at::Tensor& value, const at::Tensor& wrong,
                                   const std::string& what) {
  const at::Tensor blamed = wrong.reshape({-1}).nonzero();
  if (blamed.numel() == 0) return;
  Finding finding = finding_about(truth, contract_);
  const int64_t first = blamed[0].item<int64_t>();
  finding.wrong = wrong;
  finding.wrong_elements = blamed.size(0);
  finding.where = index_of(first, truth.shape);
  if (!value.is_complex()) {
    finding.actual = value.reshape({-1})[first].item<double>();
    finding.expected = truth.value.reshape({-1})[first].item<double>();
  }
  finding.detail = fmt::format("{} of {} elements are {}; first at {}", finding.wrong_elements, finding.elements, what,
                               shape_text(finding.where));
  if (!value.is_complex()) finding.detail += fmt::format(": {:.9g}", finding.actual);
  relative_ = 1;
  judgement_.ratio = std::max(judgement_.ratio, std::nextafter(1.0, 2.0));
  reject(std::move(finding));
}

void MatrixJudgement::reject(Finding finding) {
  judgement_.passed = false;
  judgement_.findings.push_back(std::move(finding));
}

Judgement MatrixJudgement::result() const {
  Judgement judgement = judgement_;
  if (judgement.passed)
    judgement.accuracy = type_ == at::kDouble ? Accuracy::fp64 : Accuracy::fp32;
  else
    judgement.accuracy = accuracy_of(relative_, type_);
  return judgement;
}

}  // namespace kbx
