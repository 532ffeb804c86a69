// SPDX-License-Identifier: Apache-2.0
#include "pipeline/race.h"

#include <fmt/format.h>

#include <random>

#include "catalogue/cases.h"
#include "core/clock.h"
#include "core/installation.h"
#include "diagnose/access_patterns.h"
#include "diagnose/advice.h"
#include "measure/statistics.h"
#include "oracle/judgement.h"
#include "oracle/timed.h"
#include "pipeline/bench.h"
#include "pipeline/exchange.h"
#include "pipeline/explain.h"
#include "pipeline/failure.h"
#include "pipeline/request.h"
#include "runner/hosts.h"

namespace kbx {
namespace {

constexpr int kWarmups = 3;
constexpr int kMinSamples = 8;
constexpr int kMaxSamples = 200;
constexpr int kProcessesOfFull = 5;
constexpr double kNarrowEnough = 0.01;  // half-width of the log-ratio's interval
constexpr double kSetUpSeconds = 20;
constexpr int64_t kOracleElements = 1 << 18;  // up to here every oracle sample is affordable
constexpr int kOracleSamples = 4;
constexpr int64_t kSweepBytes = 1 << 20;  // of inputs: naive work of n^3 takes a second there, not minutes

// One side of the race: a runner with one prepared set.
struct Side {
  std::unique_ptr<Runner> runner;
  std::optional<Exchange> exchange;
  std::vector<double> claimed;    // seconds, per sample
  std::vector<double> unclaimed;  // the judge's clock minus the claim
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

// One perf case with its truth, as both sides meet it.
struct Heat {
  Case c;
  uint64_t seed = 0;
  Call first;
  Expected truth;
  TimedTruth timed;
};

// The task's own, with --perf full the small ones of the published benchmark too.
std::vector<Case> timed_cases(const Task& task, Perf perf) {
  std::vector<Case> cases = perf_cases_of(task, at::kCPU);
  if (perf == Perf::full)
    for (Case& c : published_sweep_of(task))
      if (input_bytes(c) <= kSweepBytes) cases.push_back(std::move(c));
  return cases;
}

Result<Heat> prepare_heat(const Task& task, const Case& c, uint64_t run_seed) {
  const uint64_t seed = derive_seed(run_seed, c.line);
  auto call = bind(task, c, seed, at::kCPU, 0);
  if (!call) return call.error();
  Expected truth = consult_oracle(*call);
  TimedTruth timed(truth);
  return Heat{c, seed, *std::move(call), std::move(truth), std::move(timed)};
}

// A pair of processes that races through the perf cases.
class Race {
 public:
  Race(const Task& task, const std::string& artifact, const std::string& candidate_entry, const std::string& reference_library,
       const JudgeOptions& options)
      : task_(task),
        options_(options),
        candidate_entry_(candidate_entry),
        paths_{reference_library, artifact},
        random_(derive_seed(options.seed, "order")) {}

  // REQUIRES: `arena_bytes` is enough for every case. A candidate that does not start is a failure of its own.
  Status start(size_t arena_bytes, RaceResult& result) {
    RunnerOptions runner;
    runner.layers = options_.layers;
    runner.threads = options_.threads;
    runner.arena_bytes = arena_bytes;
    runner.limits.file_bytes = std::max(runner.limits.file_bytes, uint64_t{2} * arena_bytes);
    auto baseline = start_baseline_runner(runner);
    if (!baseline) return baseline.error();
    auto candidate = start_native_runner(paths_[1], runner);
    if (!candidate) return candidate.error();
    baseline_.runner = *std::move(baseline);
    candidate_.runner = *std::move(candidate);
    for (Side* side : {&baseline_, &candidate_}) {
      LoadRequest load = load_request(task_, wire::Role::native, paths_[side == &candidate_], options_);
      load.entries = {side == &candidate_ ? candidate_entry_ : entry(task_)};
      const auto loaded = side->runner->load(load, kSetUpSeconds);
      if (std::holds_alternative<Loaded>(loaded)) continue;
      if (auto status = trouble(failure_of(loaded, wire::Role::native, ""), *side, result); !status || result.failure)
        return status;
    }
    return Done{};
  }

  // Samples of one case; they add to `baseline` and `candidate`.
  Status run(const Heat& heat, double seconds, const std::atomic<bool>& cancelled, RaceResult& result) {
    heat_ = &heat;
    baseline_.claimed.clear(), baseline_.unclaimed.clear(), candidate_.claimed.clear(), candidate_.unclaimed.clear();
    for (Side* side : {&baseline_, &candidate_})
      if (auto status = set_up(*side, result); !status || result.failure) return status;
    for (int i = 0; i < kWarmups && !result.failure; ++i)
      if (auto status = sample(i, false, result); !status) return status;
    const auto start = Clock::now();
    while (!result.failure && !cancelled) {
      if (auto status = sample(kWarmups + static_cast<int>(candidate_.claimed.size()), true, result); !status) return status;
      const size_t samples = candidate_.claimed.size();
      if (samples >= kMaxSamples || (samples >= kMinSamples && (seconds_since(start) > seconds || narrow_enough()))) break;
    }
    return Done{};
  }

  const Side& baseline() const { return baseline_; }
  const Side& candidate() const { return candidate_; }

 private:
  Status set_up(Side& side, RaceResult& result) {
    // The baseline takes and returns tensors like an operator; both are laid out as native calls with destinations.
    side.runner->arena().reset();
    auto exchange = Exchange::lay_out(heat_->first, heat_->truth, Language::cpp, side.runner->arena());
    if (!exchange) return exchange.error();
    side.exchange = *std::move(exchange);
    const auto prepared = side.runner->prepare(0, side.exchange->arguments(), side.exchange->argument_count(),
                                               side.exchange->destinations(), kSetUpSeconds);
    if (!std::holds_alternative<Done>(prepared)) return trouble(failure_of(prepared, wire::Role::native, ""), side, result);
    return Done{};
  }

  // Fresh contents for both sides, a call of each in random order, then the candidate's output is verified.
  Status sample(int index, bool counted, RaceResult& result) {
    auto bound =
        index == 0 ? Result<Call>(heat_->first) : bind(task_, heat_->c, heat_->seed, at::kCPU, static_cast<uint64_t>(index));
    if (!bound) return bound.error();
    const Call& call = *bound;
    for (Side* side : {&baseline_, &candidate_}) side->exchange->write(call, kPoison[index % std::size(kPoison)]);
    candidate_.runner->arena().fill_red_zones(kRedZone);
    Side* order[] = {&baseline_, &candidate_};
    if (random_() & 1) std::swap(order[0], order[1]);
    Returned returned;
    for (Side* side : order) {
      if (auto status = timed_call(*side, call.seed, counted, returned, result); !status || result.failure) return status;
    }
    return verify(call, index, returned, result);
  }

  // One call; `returned` is set by the candidate's.
  Status timed_call(Side& side, uint64_t seed, bool counted, Returned& returned, RaceResult& result) {
    const auto start = Clock::now();
    const auto reply = side.runner->call({{0, seed}}, options_.call_seconds);
    const double wall = seconds_since(start);
    const auto* answer = std::get_if<ReturnedCalls>(&reply);
    if (!answer) return trouble(failure_of(reply, wire::Role::native, heat_->c.line), side, result);
    if (answer->calls.size() != 1)
      return trouble(failure_of(Broken{"an answer to another number of calls"}, heat_->c.line), side, result);
    const double claimed = static_cast<double>(std::max<uint64_t>(answer->calls[0].claimed_ns, 1)) * 1e-9;
    if (counted) {
      side.claimed.push_back(claimed);
      side.unclaimed.push_back(wall - claimed);
    }
    if (&side == &candidate_) returned = answer->calls[0];
    return Done{};
  }

  Status verify(const Call& call, int index, const Returned& returned, RaceResult& result) {
    const bool small = first_elements() <= kOracleElements;
    const bool by_oracle = index == 0 || (small && index < kOracleSamples);
    Expected expected = by_oracle && index > 0 ? consult_oracle(call) : heat_->truth;
    std::vector<Delivery> deliveries = {candidate_.exchange->take(expected, returned)};
    if (!by_oracle) expected = heat_->timed.run_eager(call);
    if (!by_oracle &&
        !any_of({candidate_.runner->arena().red_zones_differ(), heat_->timed.doubtful(call, expected, deliveries.front()),
                 candidate_.exchange->differs(call, expected, deliveries.front())}))
      return Done{};
    if (const auto trespass = candidate_.runner->arena().red_zones_changed()) {
      const std::string name = candidate_.exchange->buffer_name(trespass->buffer);
      return wrong("integrity", name, fmt::format("memory around {} was overwritten in timed call {}", name, index),
                   diagnose_red_zone(name, trespass->distance), result);
    }
    if (const auto change = candidate_.exchange->input_changed(call, expected))
      return wrong("integrity", change->name, fmt::format("input {} was changed in timed call {}", change->name, index),
                   diagnose_changed_input(change->name, ""), result);
    if (candidate_.exchange->changed_since(deliveries.back())) {
      result.failure = Dishonest{{fmt::format("an output was still being written after timed call {} had returned", index)}};
      return Done{};
    }
    const std::vector<uint64_t> seeds = seeds_to_call(task_, call.seed);
    if (seeds.size() > 1 && index > 0) return verify_draw(deliveries.back(), index, result);
    for (size_t i = 1; i < seeds.size(); ++i) {
      candidate_.exchange->write(call, kPoison[i % std::size(kPoison)]);
      Returned again;
      if (auto status = timed_call(candidate_, seeds[i], false, again, result); !status || result.failure) return status;
      deliveries.push_back(candidate_.exchange->take(expected, again));
    }
    if (!by_oracle) expected = heat_->timed.complete(call, std::move(expected));
    const Judgement judgement = judge_outputs(call, expected, deliveries);
    if (judgement.passed) return Done{};
    const Finding& f = judgement.findings.front();
    const std::string detail = f.detail + fmt::format(" (timed call {})", index);
    return wrong(f.contract, f.output, detail, diagnosis("wrong_when_timed", detail), result);
  }

  // A random result has no expected values; the first sample was put to the whole test, the others must be finite numbers
  // that were written.
  Status verify_draw(const Delivery& delivery, int index, RaceResult& result) {
    for (const Delivered& d : delivery) {
      if (d.problem.empty() && (!d.value.is_floating_point() || d.value.isfinite().all().item<bool>())) continue;
      const std::string detail =
          fmt::format("timed call {}: {}", index, d.problem.empty() ? "not all numbers are finite" : d.problem);
      return wrong("stochastic", "", detail, diagnosis("wrong_when_timed", detail), result);
    }
    return Done{};
  }

  Status wrong(const std::string& contract, const std::string& output, const std::string& detail, Diagnosis why,
               RaceResult& result) {
    Wrong w;
    w.line = heat_->c.line;
    w.contract = contract;
    w.output = output;
    w.detail = detail;
    w.pattern = why.pattern;
    result.diagnosis = {std::move(why)};
    result.failure = std::move(w);
    return Done{};
  }

  int64_t first_elements() const {
    int64_t elements = 0;
    for (const Truth& t : heat_->truth.outputs) elements += t.value.numel();
    return elements;
  }

  bool narrow_enough() const {
    const Interval s = speedup(baseline_.claimed, candidate_.claimed);
    return std::log(s.high / s.low) / 2 < kNarrowEnough;
  }

  // The candidate's failure is an outcome, the baseline's is trouble of our own.
  Status trouble(Failure failure, const Side& side, RaceResult& result) const {
    if (&side == &candidate_) {
      result.diagnosis = explain_failure(failure);
      result.failure = std::move(failure.outcome);
      return Done{};
    }
    return Error{fmt::format("the baseline of {} could not be timed: {}", task_.id, outcome_summary(failure.outcome)),
                 side.runner->output()};
  }

  const Task& task_;
  const JudgeOptions& options_;
  const std::string candidate_entry_;
  const std::string paths_[2];  // of the reference library, of the candidate
  std::mt19937_64 random_;
  const Heat* heat_ = nullptr;
  Side baseline_, candidate_;
};

// Samples of one case over all pairs of processes.
struct Samples {
  std::vector<double> baseline, candidate, baseline_unclaimed, candidate_unclaimed;

  void add(const Race& race) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(baseline, race.baseline().claimed);
    append(candidate, race.candidate().claimed);
    append(baseline_unclaimed, race.baseline().unclaimed);
    append(candidate_unclaimed, race.candidate().unclaimed);
  }
};

void keep_raw(const std::string& line, const Samples& s, std::vector<TimingSample>& raw) {
  for (size_t i = 0; i < s.baseline.size(); ++i) {
    raw.push_back({line, "baseline", "judge", 0, static_cast<int>(i), s.baseline[i]});
    raw.push_back({line, "candidate", "judge", 0, static_cast<int>(i), s.candidate[i]});
  }
}

PerfResult summarise(const std::string& line, const Samples& s, Efficiency& efficiency) {
  const Interval ratio = speedup(s.baseline, s.candidate);
  PerfResult perf{line, median(s.baseline), median(s.candidate), ratio, speed_class(ratio), static_cast<int>(s.candidate.size())};
  // The claims of both sides leave out the same message; what the candidate leaves out beyond that was computed outside
  // of the claimed span.
  std::vector<double> differences;
  for (size_t i = 0; i < s.candidate_unclaimed.size(); ++i)
    differences.push_back(s.candidate_unclaimed[i] - s.baseline_unclaimed[i]);
  const double hidden = median_interval(differences).low;  // at least this much, with 97.5 % confidence
  if (hidden > 0.5e-3 + 0.2 * perf.candidate_seconds)
    efficiency.withheld =
        fmt::format("the judge's clock contradicts the claimed times: {:.3g} ms a call are missing on {}", hidden * 1e3, line);
  return perf;
}

}  // namespace

Result<RaceResult> race(const Task& task, const std::string& artifact, const std::string& entry_taken,
                        const JudgeOptions& options, const std::atomic<bool>& cancelled) {
  const auto installation = find_installation();
  if (!installation) return installation.error();
  std::vector<Heat> heats;
  size_t bytes = 0;
  for (const Case& c : timed_cases(task, options.perf)) {
    auto heat = prepare_heat(task, c, options.seed);
    if (!heat) return heat.error();
    heats.push_back(*std::move(heat));
    bytes = std::max(bytes, arena_bytes(heats.back().first, heats.back().truth));
  }
  RaceResult result;
  if (heats.empty()) {
    result.efficiency.withheld = "the task has no perf cases for this device";
    return result;
  }
  std::vector<Samples> samples(heats.size());
  const int processes = options.perf == Perf::full ? kProcessesOfFull : 1;
  for (int process = 0; process < processes; ++process) {
    Race pair(task, artifact, entry_taken, installation->reference_library, options);
    if (auto status = pair.start(bytes, result); !status) return status.error();
    if (result.failure) return result;
    for (size_t i = 0; i < heats.size(); ++i) {
      const double seconds = options.measure_seconds / static_cast<double>(heats.size() * processes);
      if (auto status = pair.run(heats[i], seconds, cancelled, result); !status) return status.error();
      if (result.failure || cancelled) return result;
      samples[i].add(pair);
    }
  }
  std::vector<Interval> ratios;
  for (size_t i = 0; i < heats.size(); ++i) {
    result.efficiency.cases.push_back(summarise(heats[i].c.line, samples[i], result.efficiency));
    ratios.push_back(result.efficiency.cases.back().speedup);
    keep_raw(heats[i].c.line, samples[i], result.samples);
  }
  if (result.efficiency.withheld.empty()) result.efficiency.speedup = geometric_mean(ratios);
  return result;
}

}  // namespace kbx
