// SPDX-License-Identifier: Apache-2.0
#include "pipeline/explain.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/access_patterns.h"
#include "diagnose/hypotheses.h"
#include "diagnose/log_patterns.h"
#include "diagnose/numeric_patterns.h"

namespace kbx {
namespace {

std::vector<NamedTensor> inputs_of(const Call& call) {
  std::vector<NamedTensor> inputs;
  for (const Argument& a : call.arguments) {
    if (a.is_out) continue;
    if (a.kind == ArgumentKind::tensor) inputs.push_back({a.name, a.value.toTensor()});
    if (a.kind == ArgumentKind::tensor_list)
      for (const at::Tensor& t : a.value.toTensorVector()) inputs.push_back({a.name, t});
  }
  return inputs;
}

// The value that `output` has for a changed call, by the reference.
std::optional<at::Tensor> reference_value(const Call& call, const Truth& output) {
  if (output.returned < 0) return std::nullopt;
  try {
    const Values values = run_reference(call);
    if (output.returned >= static_cast<int>(values.size())) return std::nullopt;
    return values[output.returned];
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

void append(std::vector<Diagnosis>& all, std::vector<Diagnosis> more) {
  for (Diagnosis& d : more)
    if (std::none_of(all.begin(), all.end(), [&](const Diagnosis& seen) { return seen.pattern == d.pattern; }))
      all.push_back(std::move(d));
}

struct Explain {
  const std::string& log;

  std::vector<Diagnosis> operator()(const Unreadable& u) const { return diagnose_log(FailedIn::parse, u.reason + "\n" + log); }
  std::vector<Diagnosis> operator()(const BuildFailed& b) const {
    const bool bind = b.reason.starts_with("does not bind");
    return diagnose_log(bind ? FailedIn::bind : FailedIn::build, b.reason + "\n" + log);
  }
  std::vector<Diagnosis> operator()(const Crashed& c) const {
    return diagnose_log(c.line.empty() ? FailedIn::import : FailedIn::call, c.how + "\n" + log);
  }
  std::vector<Diagnosis> operator()(const TimedOut& t) const {
    return {diagnose_timeout(t.seconds, t.line.empty() ? "loading the candidate" : t.line)};
  }
  std::vector<Diagnosis> operator()(const OutOfMemory& o) const { return {diagnose_out_of_memory(o.how)}; }
  std::vector<Diagnosis> operator()(const NotJudged& n) const { return diagnose_log(FailedIn::call, n.reason + "\n" + log); }
  template <typename T>
  std::vector<Diagnosis> operator()(const T&) const {
    return {};
  }
};

}  // namespace

std::vector<Diagnosis> explain_wrong(const WrongCase& w) {
  const Finding& finding = w.judgement.findings.front();
  const auto output = std::find_if(w.expected.outputs.begin(), w.expected.outputs.end(),
                                   [&](const Truth& t) { return t.name == finding.output; });
  if (output == w.expected.outputs.end()) return {};
  const Delivered& delivered = w.delivery[static_cast<size_t>(output - w.expected.outputs.begin())];
  const bool right_form = delivered.value.defined() && delivered.value.sizes() == output->value.sizes() &&
                          delivered.value.scalar_type() == output->dtype;
  if (right_form && !finding.wrong.defined()) return {};  // no element is to blame: the finding says it all
  if (!right_form)
    return diagnose_form(
        {delivered.problem.empty() ? finding.detail : delivered.problem, delivered.value, output->dtype, output->shape});

  const WrongValues values{delivered.value,   output->value, output->budget,      finding.wrong,
                           inputs_of(w.call), w.poison,      w.judgement.accuracy};
  std::vector<Diagnosis> all =
      diagnose_by_hypothesis(values, w.call, [&](const Call& call) { return reference_value(call, *output); });
  append(all, diagnose_values(values));
  return all;
}

std::vector<Diagnosis> explain_failure(const Failure& failure) {
  return failure.diagnosis.empty() ? std::visit(Explain{failure.log}, failure.outcome) : failure.diagnosis;
}

}  // namespace kbx
