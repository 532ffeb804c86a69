// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/quantised.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "catalogue/call.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/form.h"

namespace kbx {
namespace {

constexpr double kLevels = 127;
// Roundings of fp32 scaling, in units of u: absmax / 127 by a rounded reciprocal (2), for each operand, their product, the
// conversion of the int32 sum, the multiplication (1 each); the output's own rounding is not counted.
constexpr double kScaleRoundings = 8;
// x / scale in fp32: absmax / 127 (2), a reciprocal (1), the product (1), an approximate division (2), or x + 0.5 before
// floor (absolute, hence q + 1 below).
constexpr double kTieRoundings = 8;
const double kUnit = 0x1p-24;

struct Operand {
  at::Tensor q;      // integers in [-127, 127], as float64
  at::Tensor scale;  // float64, broadcasts against q
  at::Tensor tie;    // 1 where fp32 arithmetic may round to the neighbour, else 0
};

// Elements that share a scale lie along `dims`.
Operand quantise(const at::Tensor& x, at::IntArrayRef dims, double levels = kLevels) {
  const at::Tensor wide = x.to(at::kDouble);
  at::Tensor absmax = wide.abs().amax(dims, /*keepdim=*/true);
  absmax = at::where(absmax.eq(0), at::ones_like(absmax), absmax);
  const at::Tensor exact = wide * levels / absmax;
  const at::Tensor from_tie = ((exact - exact.floor()) - 0.5).abs();
  return {exact.round(), absmax / levels, from_tie.le(kTieRoundings * kUnit * (exact.abs() + 1)).to(at::kDouble)};
}

at::Tensor product(const Operand& left, const Operand& right) { return at::matmul(left.q, right.q) * left.scale * right.scale; }

// What the elements on ties may change: each by one step of its operand.
at::Tensor tie_allowance(const Operand& left, const Operand& right) {
  const at::Tensor steps =
      at::matmul(left.tie, right.q.abs()) + at::matmul(left.q.abs(), right.tie) + at::matmul(left.tie, right.tie);
  return steps * left.scale * right.scale;
}

double rms(const at::Tensor& t) { return std::sqrt(t.square().mean().item<double>()); }

// Mistakes that are made often, each as the value it leads to. The nearest to what was delivered is named.
std::string explanation(const at::Tensor& left, const at::Tensor& right, const at::Tensor& delivered, const at::Tensor& truth) {
  const std::vector<int64_t> row{-1}, column{-2}, whole{-2, -1};
  const Operand l = quantise(left, row), r = quantise(right, column), l_whole = quantise(left, whole),
                r_whole = quantise(right, whole);
  const auto truncated = [](const at::Tensor& x, at::IntArrayRef dims) {
    Operand o = quantise(x, dims);
    o.q = (x.to(at::kDouble) / o.scale).trunc();
    return o;
  };
  struct Hypothesis {
    const char* text;
    at::Tensor value;
  };
  const std::array<Hypothesis, 7> hypotheses{{
      {"it is the product of the unquantised operands", at::matmul(left.to(at::kDouble), right.to(at::kDouble))},
      {"both operands have one scale for the whole tensor", product(l_whole, r_whole)},
      {"the left operand has one scale for the whole tensor instead of one per row", product(l_whole, r)},
      {"the right operand has one scale for the whole tensor instead of one per column", product(l, r_whole)},
      {"the left operand is not quantised", at::matmul(left.to(at::kDouble), r.q * r.scale)},
      {"the right operand is not quantised", at::matmul(l.q * l.scale, right.to(at::kDouble))},
      {"values are truncated instead of rounded to the nearest", product(truncated(left, row), truncated(right, column))},
  }};
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

  std::vector<at::Tensor> operands;
  for (const Argument& argument : call.arguments)
    if (argument.kind == ArgumentKind::tensor && !argument.is_out) operands.push_back(argument.value.toTensor());
  KBX_CHECK_GE(operands.size(), 2u);
  const at::Tensor &left = operands[0], &right = operands[1], value = truth.value.to(at::kDouble);
  at::Tensor budget = kScaleRoundings * kUnit * value.abs() + 0x1p-126;
  if (left.numel() > 0 && right.numel() > 0)
    budget = budget +
             tie_allowance(quantise(left, {-1}), quantise(right, {-2})).reshape(value.sizes()) * (1 + kScaleRoundings * kUnit);

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
  if (left.numel() > 0 && right.numel() > 0) finding.detail += explanation(left, right, delivered.value.to(at::kDouble), value);
  const double ratio_worst = judgement.ratio;
  judgement = rejected(std::move(finding));
  judgement.ratio = ratio_worst;
  return judgement;
}

}  // namespace kbx
