// SPDX-License-Identifier: Apache-2.0
#include "pipeline/explain.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "diagnose/access_patterns.h"
#include "diagnose/hypotheses.h"
#include "diagnose/log_patterns.h"
#include "diagnose/matrix_patterns.h"
#include "diagnose/numeric_patterns.h"
#include "diagnose/update_patterns.h"

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

// Says no more than that values are wrong, or what a cause that is known already brings along.
bool is_consequence(const Diagnosis& d) {
  static const std::set<std::string_view> kConsequences = {"nan",       "infinite",  "nan_lost",      "not_written",
                                                           "precision", "scattered", "every_element", "poor_algorithm"};
  return kConsequences.contains(d.pattern);
}

// The first tensor of a call's contract for the equation A X = B, by name.
std::optional<WrongSolution> solution_of(const WrongCase& w, const Truth& output, const at::Tensor& delivered) {
  const auto* solve = std::get_if<Solve>(&w.call.task->contract.front());
  if (!solve || w.call.task->contract.size() != 1) return std::nullopt;
  const Args args(w.call);
  const at::Tensor rhs = solve->equation == Equation::inverse ? at::Tensor() : args.tensor(solve->right_hand_side);
  const bool upper = solve->equation == Equation::cholesky && args.flag("upper");
  return WrongSolution{solve->equation, args.tensor(solve->matrix), rhs, upper, delivered, output.value};
}

bool is_lu(const Task& task) {
  const auto* kind = std::get_if<Decomposition>(&task.contract.front());
  return kind && kind->kind == DecompositionKind::lu;
}

// Results that an equation judges: no element is to blame.
std::vector<Diagnosis> explain_matrix(const WrongCase& w, const Truth& output, const at::Tensor& delivered) {
  std::vector<Diagnosis> all;
  if (is_lu(*w.call.task) && w.delivery.size() == 3) {
    const auto& d = w.delivery;
    const auto matrix = std::find_if(w.call.arguments.begin(), w.call.arguments.end(),
                                     [](const Argument& a) { return a.kind == ArgumentKind::tensor && !a.is_out; });
    if (matrix != w.call.arguments.end() && d[0].value.defined() && d[1].value.defined() && d[2].value.defined())
      if (auto found = diagnose_lu(matrix->value.toTensor(), d[0].value, d[1].value, d[2].value)) all.push_back(*found);
    return all;
  }
  const std::optional<WrongSolution> solution = solution_of(w, output, delivered);
  if (!solution) return all;
  if (auto found = diagnose_solution(*solution)) return {*found};
  const at::Tensor wrong = wrong_elements(*solution);
  if (!wrong.defined()) return all;
  return diagnose_values({delivered, output.value, {}, wrong, inputs_of(w.call), w.poison, w.judgement.accuracy});
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
  if (finding.drawn.truth.defined() && finding.wrong.defined())
    return diagnose_values({finding.drawn.delivered, finding.drawn.truth, finding.drawn.budget, finding.wrong, inputs_of(w.call),
                            w.poison, w.judgement.accuracy});
  const bool right_form = delivered.value.defined() && delivered.value.sizes() == output->value.sizes() &&
                          delivered.value.scalar_type() == output->dtype;
  if (!right_form)
    return diagnose_form({delivered.problem.empty() ? finding.detail : delivered.problem,
                          delivered.value.defined() ? delivered.value : delivered.form, output->dtype, output->shape});
  if (!finding.wrong.defined()) return explain_matrix(w, *output, delivered.value);

  const WrongValues values{delivered.value,   output->value, output->budget,      finding.wrong,
                           inputs_of(w.call), w.poison,      w.judgement.accuracy};
  if (output->argument >= 0 && !w.call.arguments[output->argument].is_out) {
    const Argument& argument = w.call.arguments[output->argument];
    if (auto found = diagnose_update(values, argument.value.toTensor(), argument.name, w.call)) return {*found};
  }
  std::vector<Diagnosis> all =
      diagnose_by_hypothesis(values, w.call, [&](const Call& call) { return reference_value(call, *output); });
  std::vector<Diagnosis> more = diagnose_values(values);
  if (!all.empty()) std::erase_if(more, is_consequence);
  append(all, std::move(more));
  return all;
}

std::vector<Diagnosis> explain_failure(const Failure& failure) {
  return failure.diagnosis.empty() ? std::visit(Explain{failure.log}, failure.outcome) : failure.diagnosis;
}

}  // namespace kbx
