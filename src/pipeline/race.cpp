// SPDX-License-Identifier: Apache-2.0
#include "pipeline/race.h"

#include <fmt/format.h>

#include <chrono>
#include <random>

#include "catalogue/cases.h"
#include "core/installation.h"
#include "measure/statistics.h"
#include "oracle/judgement.h"
#include "pipeline/bench.h"
#include "pipeline/exchange.h"
#include "pipeline/failure.h"
#include "runner/hosts.h"

namespace kbx {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmups = 3;
constexpr int kMinSamples = 8;
constexpr int kMaxSamples = 200;
constexpr double kNarrowEnough = 0.01;      // half-width of the log-ratio's interval
constexpr double kSetUpSeconds = 20;
constexpr int64_t kOracleElements = 1 << 18;  // up to here every oracle sample is affordable
constexpr int kOracleSamples = 4;
constexpr uint8_t kPoison[] = {0xff, 0xc3};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One side of the race: a runner with one prepared set.
struct Side {
  std::unique_ptr<Runner> runner;
  std::optional<Exchange> exchange;
  std::vector<double> claimed;   // seconds, per sample
  std::vector<double> unclaimed; // the judge's clock minus the claim
};

size_t arena_bytes(const Call& call, const Expected& expected) {
  size_t bytes = 64u << 20;
  const auto add = [&](const at::Tensor& t) { bytes += static_cast<size_t>(t.numel()) * t.itemsize() + (1u << 16); };
  for (const Argument& a : call.arguments) {
    if (a.kind == ArgumentKind::tensor) add(a.value.toTensor());
    if (a.kind == ArgumentKind::tensor_list)
      for (const at::Tensor& t : a.value.toTensorVector()) add(t);
  }
  for (const Truth& t : expected.outputs) add(t.eager);
  return bytes;
}

// The judge's own eager result as the truth, within twice the largest budget of the case.
Expected eager_truth(const Call& call, const Expected& measured) {
  const Values eager = run_reference(call);
  Expected truth = measured;
  truth.explanations.reset();
  for (Truth& t : truth.outputs) {
    if (t.returned < 0 || t.returned >= static_cast<int>(eager.size())) continue;
    const at::Tensor& value = eager[t.returned];
    t.eager = value;
    t.value = t.value.is_floating_point() ? value.to(t.value.scalar_type()) : value;
    if (t.budget.defined() && t.budget.numel() > 0) t.budget = t.budget.max().mul(2).expand(value.sizes());
  }
  return truth;
}

class CaseRace {
 public:
  CaseRace(const Task& task, const Case& c, const std::string& artifact, const JudgeOptions& options, double seconds)
      : task_(task), case_(c), artifact_(artifact), options_(options), seconds_(seconds),
        seed_(derive_seed(options.seed, c.line)), random_(derive_seed(seed_, "order")) {}

  Result<RaceResult> run(const std::atomic<bool>& cancelled) {
    const auto installation = find_installation();
    if (!installation) return installation.error();
    reference_library_ = installation->reference_library;
    auto call = bind(task_, case_, seed_, at::kCPU, 0);
    if (!call) return call.error();
    first_ = *std::move(call);
    measured_ = consult_oracle(first_);
    const int processes = options_.perf == Perf::full ? 5 : 1;
    RaceResult result;
    for (int process = 0; process < processes && !result.failure && !cancelled; ++process)
      if (auto status = run_processes(seconds_ / processes, cancelled, result); !status) return status.error();
    if (!result.failure && !candidate_.claimed.empty()) result.efficiency.cases.push_back(summarise(result.efficiency));
    return result;
  }

 private:
  Status run_processes(double seconds, const std::atomic<bool>& cancelled, RaceResult& result) {
    RunnerOptions runner_options;
    runner_options.layers = options_.layers;
    runner_options.arena_bytes = arena_bytes(first_, measured_);
    runner_options.limits.file_bytes = std::max(runner_options.limits.file_bytes, uint64_t{2} * runner_options.arena_bytes);
    auto baseline = start_baseline_runner(runner_options);
    if (!baseline) return baseline.error();
    auto candidate = start_native_runner(artifact_, runner_options);
    if (!candidate) return candidate.error();
    baseline_.runner = *std::move(baseline);
    candidate_.runner = *std::move(candidate);
    for (Side* side : {&baseline_, &candidate_})
      if (auto status = set_up(*side); !status) return status;

    for (int i = 0; i < kWarmups && !result.failure; ++i)
      if (auto status = sample(i, false, result); !status) return status;
    const auto start = Clock::now();
    const size_t before = candidate_.claimed.size();
    while (!result.failure && !cancelled) {
      if (auto status = sample(kWarmups + static_cast<int>(candidate_.claimed.size()), true, result); !status) return status;
      const size_t samples = candidate_.claimed.size() - before;
      if (samples >= kMaxSamples || (samples >= kMinSamples && (seconds_since(start) > seconds || narrow_enough()))) break;
    }
    return Done{};
  }

  Status set_up(Side& side) {
    // The baseline takes and returns tensors like an operator; both are laid out as native calls with destinations.
    auto exchange = Exchange::lay_out(first_, measured_, Language::cpp, side.runner->arena());
    if (!exchange) return exchange.error();
    side.exchange = *std::move(exchange);
    LoadRequest load;
    load.entries = {entry(task_)};
    load.schema = task_.schema;
    load.path = &side == &candidate_ ? artifact_ : reference_library_;
    const auto loaded = side.runner->load(load, kSetUpSeconds);
    if (!std::holds_alternative<Loaded>(loaded)) return trouble(failure_of(loaded, wire::Role::native, ""), side);
    const auto prepared = side.runner->prepare(0, side.exchange->arguments(), side.exchange->argument_count(),
                                               side.exchange->destinations(), kSetUpSeconds);
    if (!std::holds_alternative<Done>(prepared)) return trouble(failure_of(prepared, wire::Role::native, ""), side);
    return Done{};
  }

  // Fresh contents for both sides, a call of each in random order, then the candidate's output is verified.
  Status sample(int index, bool counted, RaceResult& result) {
    auto bound = index == 0 ? Result<Call>(first_.clone()) : bind(task_, case_, seed_, at::kCPU, static_cast<uint64_t>(index));
    if (!bound) return bound.error();
    const Call& call = *bound;
    for (Side* side : {&baseline_, &candidate_}) side->exchange->write(call, kPoison[index % std::size(kPoison)]);
    Side* order[] = {&baseline_, &candidate_};
    if (random_() & 1) std::swap(order[0], order[1]);
    Returned returned;
    for (Side* side : order) {
      const auto start = Clock::now();
      const auto reply = side->runner->call({{0, call.seed}}, options_.call_seconds);
      const double wall = seconds_since(start);
      const auto* answer = std::get_if<ReturnedCalls>(&reply);
      if (!answer || answer->calls.size() != 1) {
        Failure failure = failure_of(reply, wire::Role::native, case_.line);
        if (side == &baseline_) return trouble(failure, *side);
        result.failure = std::move(failure.outcome);
        return Done{};
      }
      const double claimed = static_cast<double>(std::max<uint64_t>(answer->calls[0].claimed_ns, 1)) * 1e-9;
      if (counted) {
        side->claimed.push_back(claimed);
        side->unclaimed.push_back(wall - claimed);
      }
      if (side == &candidate_) returned = answer->calls[0];
    }
    verify(call, index, returned, result);
    return Done{};
  }

  void verify(const Call& call, int index, const Returned& returned, RaceResult& result) {
    const bool small = first_elements() <= kOracleElements;
    const Expected expected = index == 0 ? measured_
                              : small && index < kOracleSamples ? consult_oracle(call)
                                                                : eager_truth(call, measured_);
    const Delivery delivery = candidate_.exchange->take(expected, returned);
    const std::vector<Delivery> deliveries(seeds_to_call(task_, call.seed).size(), delivery);
    const Judgement judgement = judge_outputs(call, expected, deliveries);
    if (judgement.passed) return;
    const Finding& f = judgement.findings.front();
    Wrong wrong;
    wrong.line = case_.line;
    wrong.contract = f.contract;
    wrong.output = f.output;
    wrong.detail = f.detail + fmt::format(" (timed call {})", index);
    wrong.pattern = "wrong_when_timed";
    result.failure = std::move(wrong);
  }

  int64_t first_elements() const {
    int64_t elements = 0;
    for (const Truth& t : measured_.outputs) elements += t.value.numel();
    return elements;
  }

  bool narrow_enough() const {
    const Interval s = speedup(baseline_.claimed, candidate_.claimed);
    return std::log(s.high / s.low) / 2 < kNarrowEnough;
  }

  PerfResult summarise(Efficiency& efficiency) const {
    const Interval ratio = speedup(baseline_.claimed, candidate_.claimed);
    PerfResult perf{case_.line, median(baseline_.claimed), median(candidate_.claimed), ratio, speed_class(ratio),
                    static_cast<int>(candidate_.claimed.size())};
    // The claims of both sides leave out the same message; what the candidate leaves out beyond that was computed outside
    // of the claimed span.
    const double hidden = median(candidate_.unclaimed) - median(baseline_.unclaimed);
    if (hidden > 0.5e-3 + 0.2 * perf.candidate_seconds)
      efficiency.withheld = fmt::format("the judge's clock contradicts the claimed times: {:.3g} ms a call are missing on {}",
                                        hidden * 1e3, case_.line);
    return perf;
  }

  Status trouble(const Failure& failure, const Side& side) const {
    return Error{fmt::format("{} of {} could not be timed: {}", &side == &baseline_ ? "the baseline" : "the candidate", task_.id,
                             outcome_summary(failure.outcome)),
                 side.runner->output()};
  }

  const Task& task_;
  const Case& case_;
  const std::string& artifact_;
  std::string reference_library_;
  const JudgeOptions& options_;
  double seconds_;
  uint64_t seed_;
  std::mt19937_64 random_;
  Call first_;
  Expected measured_;
  Side baseline_, candidate_;
};

}  // namespace

Result<RaceResult> race(const Task& task, const std::string& artifact, const JudgeOptions& options,
                        const std::atomic<bool>& cancelled) {
  RaceResult all;
  const std::vector<Case> cases = perf_cases_of(task);
  for (const Case& c : cases) {
    auto one = CaseRace(task, c, artifact, options, options.measure_seconds / static_cast<double>(cases.size())).run(cancelled);
    if (!one) return one.error();
    if (one->failure) return one;
    for (PerfResult& perf : one->efficiency.cases) all.efficiency.cases.push_back(std::move(perf));
    if (!one->efficiency.withheld.empty()) all.efficiency.withheld = one->efficiency.withheld;
  }
  if (all.efficiency.cases.empty()) {
    all.efficiency.withheld = "the task has no perf cases for this device";
  } else if (all.efficiency.withheld.empty()) {
    std::vector<Interval> ratios;
    for (const PerfResult& perf : all.efficiency.cases) ratios.push_back(perf.speedup);
    all.efficiency.speedup = geometric_mean(ratios);
  }
  return all;
}

}  // namespace kbx
