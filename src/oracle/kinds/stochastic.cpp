// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/stochastic.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "contracts/accuracy.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/binomial_counts.h"
#include "oracle/kinds/dropout.h"
#include "oracle/kinds/form.h"
#include "oracle/kinds/fractional_pooling.h"
#include "oracle/kinds/significance.h"
#include "oracle/kinds/uniform_tests.h"

namespace kbx {
namespace {

constexpr const char* kContract = "stochastic:uniform";

// Distances at which careless generators repeat: neighbours, powers of two (blocks), rows and planes of the output.
std::vector<int64_t> lags_of(at::IntArrayRef shape) {
  std::set<int64_t> lags{3, 5, 7};
  for (int64_t lag = 1; lag <= int64_t{1} << 20; lag *= 2) lags.insert(lag);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 1;) lags.insert(stride *= shape[d]);
  lags.erase(0);
  return {lags.begin(), lags.end()};
}

std::optional<Finding> outside_support(const Truth& truth, const at::Tensor& value) {
  const at::Tensor wide = value.to(at::kDouble);
  const at::Tensor wrong = wide.ge(0).logical_and(wide.lt(1)).logical_not();  // NaN is outside
  const at::Tensor blamed = wrong.reshape({-1}).nonzero();
  if (blamed.numel() == 0) return std::nullopt;
  Finding finding = finding_about(truth, kContract);
  const int64_t first = blamed[0].item<int64_t>();
  finding.wrong = wrong;
  finding.wrong_elements = blamed.numel();
  finding.where = index_of(first, truth.shape);
  finding.actual = wide.reshape({-1})[first].item<double>();
  finding.detail =
      fmt::format("{} of {} numbers are outside [0, 1), first at {}: {:.9g}{}", finding.wrong_elements, finding.elements,
                  shape_text(finding.where), finding.actual, finding.actual == 1 ? " (1 itself is excluded)" : "");
  return finding;
}

std::optional<Finding> not_repeated(const Truth& truth, const at::Tensor& first, const at::Tensor& again) {
  if (first.equal(again)) return std::nullopt;
  Finding finding = finding_about(truth, kContract);
  finding.wrong = first.ne(again);
  finding.wrong_elements = finding.wrong.sum().item<int64_t>();
  finding.where = index_of(finding.wrong.reshape({-1}).nonzero()[0].item<int64_t>(), truth.shape);
  finding.detail =
      fmt::format("the same seed gave other numbers the second time: {} of {} differ", finding.wrong_elements, finding.elements);
  return finding;
}

Judgement judge_uniform(const Truth& truth, const at::Tensor& a, const at::Tensor& b, const at::Tensor& again) {
  for (const at::Tensor& value : {a, b})
    if (auto finding = outside_support(truth, value)) return rejected(std::move(*finding));
  if (auto finding = not_repeated(truth, a, again)) return rejected(std::move(*finding));
  Judgement judgement = accepted(accuracy_of_type(truth.dtype));
  if (a.numel() == 0) return judgement;

  const int digits = float_format(truth.dtype).digits;
  const std::vector<int64_t> lags = lags_of(truth.shape);
  const at::Tensor flat_a = a.reshape({-1}).to(at::kDouble), flat_b = b.reshape({-1}).to(at::kDouble);
  std::vector<TestResult> results;
  for (const at::Tensor& x : {flat_a, flat_b}) {
    test_distribution(x, digits, results);
    test_independence(x, lags, results);
    test_resolution(x, digits, results);
  }
  test_two_seeds(flat_a, flat_b, digits, results);

  return judge_by_tests(std::move(judgement), truth, kContract, "not uniform and independent", results, kStochasticFalseAlarm);
}

}  // namespace

SettledCall::SettledCall(const Call& call) : task_(*call.task), call_(call) {
  task_.contract = numeric();
  call_.task = &task_;
}

bool is_random(const Call& call) {
  const auto* stochastic = std::get_if<Stochastic>(&call.task->contract.front());
  return stochastic && (stochastic->distribution != Distribution::dropout || !is_settled(call));
}

Judgement judge_stochastic(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries,
                           const Stochastic& contract) {
  if (contract.distribution == Distribution::dropout) return judge_dropout(call, expected, deliveries);
  if (contract.distribution == Distribution::fractional_pooling) return judge_fractional_pooling(call, expected, deliveries);
  if (contract.distribution == Distribution::binomial) return judge_binomial(call, expected, deliveries);
  KBX_CHECK_EQ(deliveries.size(), 3u);
  Judgement all = accepted(Accuracy::exact);
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    const Truth& truth = expected.outputs[i];
    Judgement judgement = accepted(Accuracy::exact);
    for (const Delivery& delivery : deliveries)
      if (auto finding = wrong_form(truth, delivery.at(i), kContract); finding && judgement.passed)
        judgement = rejected(std::move(*finding));
    if (judgement.passed)
      judgement = judge_uniform(truth, deliveries[0][i].value, deliveries[1][i].value, deliveries[2][i].value);
    merge(all, std::move(judgement));
  }
  return all;
}

}  // namespace kbx
