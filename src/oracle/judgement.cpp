// SPDX-License-Identifier: Apache-2.0
#include "oracle/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contracts/accuracy.h"
#include "contracts/exact.h"
#include "contracts/numeric.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/explanation.h"
#include "oracle/kinds/decomposition.h"
#include "oracle/kinds/form.h"
#include "oracle/kinds/indices.h"
#include "oracle/kinds/jump.h"
#include "oracle/kinds/quantised.h"
#include "oracle/kinds/solve.h"
#include "oracle/kinds/stochastic.h"
#include "oracle/output_contract.h"

namespace kbx {
namespace {

constexpr double kNearlyAll = 0.99;  // of the elements are numbers of the lower precision

// Nearly all of y is in a lower precision, and the truth is not: y was computed or stored there.
std::optional<Accuracy> stored_in(const at::Tensor& y, const at::Tensor& truth) {
  for (const at::ScalarType type : {at::kBFloat16, at::kHalf})
    if (share_representable(y, type) > kNearlyAll && !(share_representable(truth, type) > kNearlyAll))
      return accuracy_of_type(type);
  return std::nullopt;
}

Accuracy accuracy_of_rejected(const at::Tensor& y, const Truth& truth, const Comparison& c,
                              const std::optional<Explanation>& explanation) {
  if (!std::isfinite(c.ratio)) return Accuracy::wrong;
  const at::ScalarType type = c10::toRealValueType(truth.dtype);
  if (type == at::kFloat)
    if (const auto stored = stored_in(y, truth.value)) return *stored;
  if (explanation) return explanation->accuracy;
  return accuracy_of_bits(effective_bits(y, truth.value, truth.spread), type);
}

Judgement judge_real(const Call& call, const Expected& expected, size_t output, const at::Tensor& y) {
  const Truth& truth = expected.outputs[output];
  const Comparison c = compare_numeric(y, truth.value, truth.budget, truth.eager);
  Judgement judgement{.passed = c.passed(), .ratio = c.ratio, .accuracy = Accuracy::exact, .findings = {}};
  if (c.rounded) return judgement;
  const std::optional<Explanation> explanation = explain(call, expected, output, y);
  if (c.passed() && !explanation) {
    judgement.accuracy = accuracy_of_type(c10::toRealValueType(truth.dtype));
    return judgement;
  }
  judgement.accuracy = accuracy_of_rejected(y, truth, c, explanation);
  Finding finding = c.passed() ? finding_about(truth, "numeric") : finding_from(truth, "numeric", c);
  if (explanation) {
    if (!c.passed()) finding.detail += "; ";
    finding.detail += fmt::format(
        "computed on inputs cut to {}: the error against the result on such inputs is {:.2g} times that "
        "against the true result",
        explanation->precision, explanation->ratio);
  }
  judgement.passed = false;
  judgement.findings.push_back(std::move(finding));
  return judgement;
}

Judgement from_exact(const Truth& truth, const std::string& contract, const Comparison& c) {
  if (c.passed()) return accepted(Accuracy::exact);
  return rejected(finding_from(truth, contract, c));
}

Judgement judge_numeric(const Call& call, const Expected& expected, size_t output, const Delivered& delivered) {
  const Truth& truth = expected.outputs[output];
  if (auto finding = wrong_form(truth, delivered, "numeric")) return rejected(std::move(*finding));
  if (has_float_format(c10::toRealValueType(truth.dtype))) return judge_real(call, expected, output, delivered.value);
  return from_exact(truth, "numeric",
                    truth.budget.defined() ? compare_integers(delivered.value, truth.value, truth.budget)
                                           : compare_exact(delivered.value, truth.value));
}

Judgement judge_exact(const Expected& expected, size_t output, const Delivered& delivered) {
  const Truth& truth = expected.outputs[output];
  if (auto finding = wrong_form(truth, delivered, "exact")) return rejected(std::move(*finding));
  return from_exact(truth, "exact", compare_exact(delivered.value, truth.value));
}

Judgement judge_jump(const Call& call, const Expected& expected, size_t output, const Delivered& delivered) {
  const Truth& truth = expected.outputs[output];
  if (auto finding = wrong_form(truth, delivered, "jump")) return rejected(std::move(*finding));
  Expected chosen = expected;
  chosen.outputs[output].value = nearest_side(truth, delivered.value);
  Judgement judgement = judge_numeric(call, chosen, output, delivered);
  for (Finding& finding : judgement.findings) finding.contract = "jump";
  return judgement;
}

// Dispatches one output whose contract is its own.
struct JudgeOutput {
  const Call& call;
  const Expected& expected;
  size_t output;
  const Delivered& delivered;

  Judgement operator()(const Numeric&) const { return judge_numeric(call, expected, output, delivered); }
  Judgement operator()(const Exact&) const { return judge_exact(expected, output, delivered); }
  Judgement operator()(const Indices& contract) const { return judge_indices(call, expected, output, delivered, contract); }
  Judgement operator()(const Quantised& contract) const { return judge_quantised(call, expected, output, delivered, contract); }
  Judgement operator()(const Jump&) const { return judge_jump(call, expected, output, delivered); }
  template <typename Joint>
  Judgement operator()(const Joint&) const {
    check_failed(__FILE__, __LINE__, "a contract over all outputs is given for one output");
  }
};

}  // namespace

std::vector<uint64_t> seeds_to_call(const Task& task, uint64_t seed) {
  if (!std::holds_alternative<Stochastic>(task.contract.front())) return {seed};
  return {seed, seed + 1, seed};
}

Judgement judge_outputs(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries) {
  const Task& task = *call.task;
  KBX_CHECK_EQ(deliveries.size(), seeds_to_call(task, call.seed).size());
  for (const Delivery& delivery : deliveries) KBX_CHECK_EQ(delivery.size(), expected.outputs.size());
  if (task.contract.size() == 1) {
    if (const auto* stochastic = std::get_if<Stochastic>(&task.contract.front())) {
      if (is_random(call)) return judge_stochastic(call, expected, deliveries, *stochastic);
      const SettledCall settled(call);
      Judgement total = accepted(Accuracy::exact);
      for (const Delivery& delivery : deliveries) merge(total, judge_outputs(settled.call(), expected, {delivery}));
      return total;
    }
    if (const auto* decomposition = std::get_if<Decomposition>(&task.contract.front()))
      return judge_decomposition(call, expected, deliveries.front(), *decomposition);
    if (const auto* solve = std::get_if<Solve>(&task.contract.front()))
      return judge_solve(call, expected, deliveries.front(), *solve);
  }
  Judgement total = accepted(Accuracy::exact);
  for (size_t i = 0; i < expected.outputs.size(); ++i)
    merge(total, std::visit(JudgeOutput{call, expected, i, deliveries.front()[i]}, contract_of(task, expected.outputs[i])));
  return total;
}

}  // namespace kbx
