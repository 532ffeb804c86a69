// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/check.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "contracts/rounding.h"
#include "core/clock.h"
#include "oracle/kinds/stochastic.h"
#include "pipeline/bench.h"
#include "selfcheck/allowances.h"
#include "selfcheck/mutants.h"
#include "selfcheck/variants.h"
#include "selfcheck/written.h"

namespace kbx {
namespace {

constexpr double kTellsTf32 = 2;        // docs/selfcheck.md, "no TF32"
constexpr double kNoDifference = 1e-6;  // of a budget, in float64: the noise of float64 itself

constexpr const char* kReference = "reference";

struct Attempt {
  const PreparedCase& prepared;
  std::vector<Delivery> reference;
  at::ScalarType type;
};

// The type of the first floating result, or else of the first floating input: what variants apply to.
at::ScalarType type_of(const PreparedCase& p) {
  for (const Truth& truth : p.expected.outputs)
    if (has_float_format(c10::toRealValueType(truth.dtype))) return truth.dtype;
  for (const Argument& a : p.call.arguments)
    if (a.value.isTensor() && a.value.toTensor().defined() && a.value.toTensor().is_floating_point())
      return a.value.toTensor().scalar_type();
  return at::kLong;
}

bool has_type_to_lose(at::ScalarType type) { return has_float_format(c10::toRealValueType(type)); }

double distance(const Judgement& j) { return std::isnan(j.ratio) ? INFINITY : j.ratio; }

class Checker {
 public:
  Checker(const Task& task, TaskBench& bench, at::Device device, const std::set<std::string>& without, TaskReport& report)
      : task_(task), device_(device), without_(without), report_(report) {
    for (size_t i = 0; i < bench.size(); ++i) {
      const PreparedCase& p = bench.at(i);
      if (!p.invalid.empty()) {
        report_.problems.push_back(fmt::format("the reference fails on '{}': {}", p.c.line, p.invalid));
        continue;
      }
      if (p.expected.raises) continue;
      attempts_.push_back({p, deliver(p.call, p.expected, {}), type_of(p)});
    }
  }

  void honest() {
    keep(try_everywhere({.name = kReference}, Kind::honest, nullptr));
    for (const Variant& v : honest_variants()) keep(try_everywhere(v.computation, Kind::honest, v.applies));
    for (const Computation& c : written_variants(task_.id, Kind::honest)) keep(try_everywhere(c, Kind::honest, nullptr));
  }

  void degraded() {
    for (const Variant& v : degraded_variants()) keep(try_everywhere(v.computation, Kind::degraded, v.applies));
    if (device_.is_cuda())
      for (const Variant& v : degraded_on_cuda()) keep(try_everywhere(v.computation, Kind::degraded, v.applies));
    for (const Computation& c : written_variants(task_.id, Kind::degraded)) keep(try_everywhere(c, Kind::degraded, nullptr));
  }

  void mutants() {
    std::vector<const Call*> calls;
    for (const Attempt& a : attempts_) calls.push_back(&a.prepared.call);
    for (const Computation& c : call_mutants(calls)) keep(try_everywhere(c, Kind::mutant, nullptr));
    for (const Computation& c : operator_mutants(calls)) keep(try_everywhere(c, Kind::mutant, nullptr));
    for (const Computation& c : written_variants(task_.id, Kind::mutant)) keep(try_everywhere(c, Kind::mutant, nullptr));
  }

  void count_allowances() {
    for (const std::string& name : allowed_trials(task_.id, device_.type()))
      if (is_idle(name))
        report_.problems.push_back(fmt::format("'{}' need no longer be allowed: take it from the list of allowances", name));
  }

 private:
  // No trial needs this allowance: none has the name, or all that differ from the reference here are rejected. Which mutants
  // differ at all, the processor's libraries decide too.
  bool is_idle(const std::string& name) const {
    bool met = false, rejected = false;
    for (const Trial& t : report_.trials) {
      if (t.name != name) continue;
      if (!t.allowed.empty()) return false;
      met = true;
      rejected |= t.fate == Fate::rejected;
    }
    return rejected || !met;
  }

  // Some case draws numbers: then float64 draws others, and shows nothing.
  bool random() const {
    return std::any_of(attempts_.begin(), attempts_.end(), [](const Attempt& a) { return is_random(a.prepared.call); });
  }

  // Nothing where ATen refuses to compute so.
  std::optional<std::vector<Delivery>> delivered(const Attempt& a, const Computation& c, std::string& refusal) const {
    std::optional<std::vector<Delivery>> deliveries;
    try {
      deliveries = deliver(a.prepared.call, a.prepared.expected, c);
    } catch (const c10::Error& e) {
      refusal = e.what_without_backtrace();
    } catch (const std::exception& e) {
      refusal = e.what();
    }
    survive(c.name);
    return deliveries;
  }

  // Kernels fail after the call that started them, and take the process's context with them.
  void survive(const std::string& trial) const {
    if (device_.is_cpu()) return;
    try {
      c10::impl::VirtualGuardImpl(device_.type()).synchronizeDevice(device_.index());
    } catch (const std::exception& e) {
      throw DeviceLost{trial, e.what()};
    }
  }

  Trial try_everywhere(const Computation& c, Kind kind, bool (*applies)(at::ScalarType)) {
    Trial trial{.name = c.name, .kind = kind};
    if (without_.contains(c.name)) {
      trial.detail = "the device does not survive it";
      return trial;
    }
    bool beyond_rounding = false;
    for (const Attempt& a : attempts_) {
      if (applies && (!has_type_to_lose(a.type) || !applies(a.type))) continue;
      // Random numbers in another precision are others, and their rounding may reach the end of the range.
      if (applies && (kind == Kind::degraded || c.precision) && is_random(a.prepared.call)) continue;
      std::string refusal;
      const auto deliveries = delivered(a, c, refusal);
      if (!deliveries) {
        if (kind == Kind::honest) {
          trial.fate = Fate::rejected;
          trial.line = a.prepared.c.line;
          trial.detail = refusal;
          return trial;
        }
        if (trial.fate == Fate::absent) trial.detail = refusal.substr(0, refusal.find('\n'));
        continue;
      }
      const bool asks_tf32 = kind == Kind::degraded && c.name == kTf32Inputs && a.prepared.c.stage == Stage::standard;
      if (c.name != kReference && same_bits(*deliveries, a.reference)) {
        if (asks_tf32) report_.cannot_tell_tf32.push_back({a.prepared.c.line, 0, false});
        continue;
      }
      const Judgement j = judge_outputs(a.prepared.call, a.prepared.expected, *deliveries);
      const double ratio = distance(j);
      beyond_rounding |= ratio > 0;
      if (asks_tf32 && ratio < kTellsTf32) report_.cannot_tell_tf32.push_back({a.prepared.c.line, ratio, !j.passed});
      if (trial.fate == Fate::absent) {
        trial.fate = Fate::passed;
        trial.detail.clear();
      }
      const bool first_rejection = !j.passed && trial.fate != Fate::rejected;
      if (first_rejection) trial.fate = Fate::rejected;
      if (ratio > trial.ratio || first_rejection) {
        trial.line = a.prepared.c.line;
        trial.detail = j.findings.empty() ? "" : j.findings.front().detail;
      }
      trial.ratio = std::max(trial.ratio, ratio);
      if (kind == Kind::mutant && trial.fate == Fate::rejected) return trial;
    }
    if (kind != Kind::honest && trial.fate == Fate::passed && !random() &&
        (!beyond_rounding || (c.settings ? trial.ratio <= largest_honest() : is_the_same(c))))
      trial.fate = Fate::absent;
    return trial;
  }

  // A library may keep to its precision though it need not: then it errs no more than what is honest.
  double largest_honest() const {
    double largest = 0;
    for (const Trial& t : report_.trials)
      if (t.kind == Kind::honest) largest = std::max(largest, t.ratio);
    return largest;
  }

  // In float64 nothing is left of the difference: the same function, computed in another way.
  bool is_the_same(Computation c) const {
    if (c.precision) return false;
    c.precision = at::kDouble;
    for (const Attempt& a : attempts_) {
      std::string refusal;
      const auto deliveries = delivered(a, c, refusal);
      if (!deliveries) continue;
      const Judgement j = judge_outputs(a.prepared.call, a.prepared.expected, *deliveries);
      if (!j.passed || !(j.ratio < kNoDifference)) return false;
    }
    return true;
  }

  void keep(Trial trial) {
    const bool right = trial.kind == Kind::honest ? trial.fate != Fate::rejected : trial.fate != Fate::passed;
    if (!right) {
      trial.allowed = allowance(task_.id, trial.name, device_.type());
      if (trial.allowed.empty())
        report_.problems.push_back(
            trial.kind == Kind::honest
                ? fmt::format("honest '{}' fails '{}' ({:.3g}): {}", trial.name, trial.line, trial.ratio, trial.detail)
                : fmt::format("{} '{}' passes ({:.3g})", trial.kind == Kind::degraded ? "degraded" : "mutant", trial.name,
                              trial.ratio));
    }
    report_.trials.push_back(std::move(trial));
  }

  const Task& task_;
  at::Device device_;
  const std::set<std::string>& without_;
  TaskReport& report_;
  std::vector<Attempt> attempts_;
};

}  // namespace

TaskReport check_task(const Task& task, uint64_t seed, at::Device device, const std::set<std::string>& without) {
  const auto start = Clock::now();
  TaskReport report{.task = std::string(task.id), .contract = contract_name(task.contract)};
  auto bench = TaskBench::open(task, Policy::oracle, seed, device, std::nullopt);
  if (!bench) {
    report.problems.push_back(bench.error().text());
    return report;
  }
  report.cases = bench->size();
  Checker checker(task, *bench, device, without, report);
  checker.honest();
  checker.degraded();
  checker.mutants();
  if (seed == kSelfcheckSeed) checker.count_allowances();
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace kbx
