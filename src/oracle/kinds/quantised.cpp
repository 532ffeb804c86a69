// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/quantised.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catalogue/quantization/integer_scheme.h"
#include "catalogue/quantization/w8a8.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/form.h"

namespace kbx {
namespace {

// Roundings of fp32 scaling, in units of u: absmax / 127 by a rounded reciprocal (2), for each operand, their product, the
// conversion of the int32 sum, the multiplication (1 each); the output's own rounding is not counted.
constexpr double kScaleRoundings = 8;

at::Tensor product(const IntegerTensor& left, const IntegerTensor& right) {
  return at::matmul(left.q, right.q) * left.scale * right.scale;
}

double rms(const at::Tensor& t) { return std::sqrt(t.square().mean().item<double>()); }

// Mistakes that are made often, each as the value it leads to. The nearest to what was delivered is named.
struct Hypothesis {
  const char* text;
  at::Tensor value;
};

std::vector<Hypothesis> mistakes_of_a_product(const at::Tensor& left, const at::Tensor& right) {
  const std::vector<int64_t> row{-1}, column{-2}, whole{-2, -1};
  const IntegerTensor l = to_integers(left, row), r = to_integers(right, column), l_whole = to_integers(left, whole),
                      r_whole = to_integers(right, whole);
  const auto truncated = [](const at::Tensor& x, at::IntArrayRef dims) {
    IntegerTensor t = to_integers(x, dims);
    t.q = (x.to(at::kDouble) / t.scale).trunc();
    return t;
  };
  return {
      {"both operands have one scale for the whole tensor", product(l_whole, r_whole)},
      {"the left operand has one scale for the whole tensor instead of one per row", product(l_whole, r)},
      {"the right operand has one scale for the whole tensor instead of one per column", product(l, r_whole)},
      {"the left operand is not quantised", at::matmul(left.to(at::kDouble), r.q * r.scale)},
      {"the right operand is not quantised", at::matmul(l.q * l.scale, right.to(at::kDouble))},
      {"values are truncated instead of rounded to the nearest", product(truncated(left, row), truncated(right, column))},
  };
}

std::string explanation(const Call& call, const at::Tensor& delivered, const at::Tensor& truth) {
  std::vector<Hypothesis> hypotheses;
  // The published references compute without quantisation.
  if (call.task->published)
    hypotheses.push_back({"it is the unquantised result", call.task->published(Args(call.clone())).front().to(at::kDouble)});
  if (call.task->oracle == w8a8_product_oracle)
    for (Hypothesis& h : mistakes_of_a_product(call.arguments[0].value.toTensor(), call.arguments[1].value.toTensor()))
      hypotheses.push_back(std::move(h));
  const double distance = rms(delivered - truth);
  double nearest = 0.05 * distance;
  std::string text;
  for (const Hypothesis& h : hypotheses)
    if (const double d = rms(delivered - h.value); d < nearest) {
      nearest = d;
      text = std::string("; ") + h.text;
    }
  return text;
}

}  // namespace

Judgement judge_quantised(const Call& call, const Expected& expected, size_t output, const Delivered& delivered,
                          const Quantised&) {
  const Truth& truth = expected.outputs.at(output);
  if (auto finding = wrong_form(truth, delivered, "quantised")) return rejected(std::move(*finding));
  Judgement judgement = accepted(Accuracy::fp32);
  if (delivered.value.numel() == 0) return judgement;

  KBX_CHECK(call.task != nullptr && call.task->oracle != nullptr);
  const Values scheme = call.task->oracle(Args(call));
  KBX_CHECK_EQ(scheme.size(), 2u);
  const at::Tensor &value = scheme[0], &ties = scheme[1];
  const at::Tensor budget =
      kScaleRoundings * kFloat32Roundoff * value.abs() + 0x1p-126 + ties * (1 + kScaleRoundings * kFloat32Roundoff);

  const at::Tensor ratio = excess(delivered.value, value) / budget;
  const at::Tensor wrong = ratio.le(1).logical_not();  // NaN is wrong
  const at::Tensor severity =
      at::where(ratio.isnan(), at::full_like(ratio, std::numeric_limits<double>::infinity()), ratio).reshape({-1});
  const int64_t worst = severity.argmax().item<int64_t>();
  judgement.ratio = severity[worst].item<double>();
  if (judgement.ratio <= 1) return judgement;

  Finding finding = finding_about(truth, "quantised");
  finding.wrong = wrong;
  finding.wrong_elements = wrong.sum().item<int64_t>();
  finding.where = index_of(worst, truth.shape);
  finding.actual = delivered.value.reshape({-1})[worst].to(at::kDouble).item<double>();
  finding.expected = value.reshape({-1})[worst].item<double>();
  finding.error = std::abs(finding.actual - finding.expected);
  finding.budget = budget.reshape({-1})[worst].item<double>();
  finding.detail = fmt::format("{} of {} elements differ from the integer scheme; worst at {}: {:.8g} for {:.8g} (budget {:.2g})",
                               finding.wrong_elements, finding.elements, shape_text(finding.where), finding.actual,
                               finding.expected, finding.budget);
  finding.detail += explanation(call, delivered.value.to(at::kDouble), value);
  const double ratio_worst = judgement.ratio;
  judgement = rejected(std::move(finding));
  judgement.ratio = ratio_worst;
  return judgement;
}

}  // namespace kbx
