// SPDX-License-Identifier: Apache-2.0
#include "pipeline/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalogue/cases.h"
#include "core/check.h"
#include "core/clock.h"
#include "measure/peaks.h"
#include "pipeline/patience.h"

namespace kbx {
namespace {

constexpr int kProcessesOfFull = 5;
constexpr size_t kWarmTracks = 2;  // tasks whose perf cases are kept
// Of the published sizes those with inputs up to here: naive work of n^3 takes a second on a CPU then, not minutes; on a GPU the
// oracle has room.
constexpr int64_t kSweepBytesOnCpu = 1 << 20, kSweepBytesOnGpu = 512 << 20;
constexpr double kAuditionSeconds = 0.2;  // another baseline's, for each perf case

Measure measure_of(const JudgeOptions& options, const std::optional<DeviceProfile>& profile, Accuracy accuracy,
                   const StoppingRule& rule) {
  Measure m;
  m.gpu = options.gpu.has_value();
  m.warm = options.caches == Caches::warm;
  m.profile = profile ? &*profile : nullptr;
  m.spread = spread_of(m.profile);
  m.accuracy = accuracy;
  m.rule = rule;
  return m;
}

}  // namespace

std::vector<Case> timed_cases(const Task& task, at::Device device, const JudgeOptions& options) {
  const bool published = options.policy == Policy::paper;
  std::vector<Case> cases = published ? std::vector<Case>() : perf_cases_of(task, device.type());
  if (!published && options.perf != Perf::full) return cases;
  for (Case& c : published_sweep_of(task)) {
    const bool known = std::ranges::any_of(cases, [&](const Case& k) { return k.line == c.line; });
    if (!known && input_bytes(c) <= (device.is_cuda() ? kSweepBytesOnGpu : kSweepBytesOnCpu)) cases.push_back(std::move(c));
  }
  return cases;
}

int process_pairs(Perf perf) { return perf == Perf::full ? kProcessesOfFull : 1; }

StoppingRule stopping_rule(const JudgeOptions& options, size_t cases) {
  StoppingRule rule;
  rule.seconds = options.sampling_seconds() / static_cast<double>(cases);
  rule.least = std::max(2, rule.least / process_pairs(options.perf));
  return rule;
}

Result<RaceResult> Races::race(const Task& task, const Contender& contender, const std::atomic<bool>& cancelled) {
  RaceResult result;
  if (auto learnt = learn_device(); !learnt) return learnt.error();
  auto track = track_of(task, result.prepare_seconds);
  if (!track) return track.error();
  const std::vector<Heat>& heats = (*track)->heats;
  result.left_out = (*track)->left_out;
  if (heats.empty()) {
    result.efficiency.withheld = options_.policy == Policy::paper ? "the published benchmark times no size that can be made here"
                                                                  : "the task has no perf cases for this device";
    return result;
  }
  if (!contest_) contest_ = std::make_unique<Contest>(device_, options_);
  static_cast<void>(contest_->take_warm_up_seconds());  // of a race that broke off
  cases_.clear();
  for (const Heat& heat : heats) cases_.push_back({&heat, {}});
  rivals_.clear();
  const int processes = process_pairs(options_.perf);
  for (int process = 0; process < processes && !cancelled; ++process)
    if (auto ran = run_process(task, contender, process, heats, cancelled, result); !ran || result.failure) {
      if (!ran) return ran.error();
      return result;
    }
  if (cancelled) return Error{"interrupted", ""};

  const Measure measure = measure_of(options_, profile_, contender.accuracy, stopping_rule(options_, heats.size()));
  std::vector<CaseStanding> standings;
  for (const CaseBlocks& c : cases_) standings.push_back(standing_of(c, measure));
  if (const std::string evidence = dishonest_evidence(standings); !evidence.empty())
    result.failure = Failure{Dishonest{{evidence}}, "", {}};
  std::vector<Rival> refused = std::move(result.efficiency.rivals);
  result.efficiency = efficiency_of(standings, measure);
  result.efficiency.caches = options_.caches == Caches::cold ? "cold" : "warm";
  result.efficiency.rivals = std::move(refused);
  std::vector<std::string> sides{"baseline", "candidate"};
  for (size_t i = 0; i < rivals_.size(); ++i) {
    result.efficiency.rivals.push_back({rivals_[i], rival_speedup(cases_, sides.size(), measure), ""});
    sides.push_back(rivals_[i]);
  }
  for (const CaseBlocks& c : cases_) std::ranges::move(raw_samples(c, sides), std::back_inserter(result.samples));
  return result;
}

Status Races::learn_device() {
  if (profile_) return Done{};
  auto known = profile_of(device_, options_.threads);
  if (!known) return known.error();
  profile_ = *std::move(known);
  return Done{};
}

Result<Races::Track*> Races::track_of(const Task& task, double& seconds) {
  const auto known = std::ranges::find_if(tracks_, [&](const Track& t) { return t.task == &task; });
  if (known != tracks_.end()) {
    tracks_.splice(tracks_.begin(), tracks_, known);
    return &tracks_.front();
  }
  const auto start = Clock::now();
  Track track{&task, {}, {}};
  Patience patience(task, device_.type());
  for (const Case& c : timed_cases(task, device_, options_)) {
    if (!patience.bears(c)) {
      track.left_out.push_back(c.line);
      continue;
    }
    auto heat = Heat::prepare(task, c, options_.seed, device_);
    if (!heat) return heat.error();
    patience.note(c, heat->oracle_seconds());
    track.heats.push_back(*std::move(heat));
  }
  tracks_.push_front(std::move(track));
  if (tracks_.size() > kWarmTracks) tracks_.pop_back();
  seconds = seconds_since(start);
  return &tracks_.front();
}

Status Races::run_process(const Task& task, const Contender& contender, int process, const std::vector<Heat>& heats,
                          const std::atomic<bool>& cancelled, RaceResult& result) {
  const Language language = contender.candidate->language;
  auto cold = Clock::now();
  auto eager = entrants_.eager(task, language);
  if (!eager) return eager.error();
  if (const auto* failure = std::get_if<Failure>(&*eager))
    return Error{fmt::format("the baseline of {} does not load: {}", task.id, outcome_summary(failure->outcome)),
                 "run kbx doctor"};
  Side& baseline = std::get<Side>(*eager);
  result.warm_up_seconds += seconds_since(cold);
  if (process == 0 && options_.compiled_baseline && language == Language::triton)
    if (auto heard = audition(task, heats, baseline, cancelled, result); !heard) return heard.error();

  cold = Clock::now();
  auto entered = entrants_.candidate(task, contender);
  if (!entered) return entered.error();
  if (auto* failure = std::get_if<Failure>(&*entered)) {
    result.failure = std::move(*failure);
    return Done{};
  }
  std::vector<Side> others;
  for (const std::string& how : rivals_) {
    auto rival = entrants_.compiled(task, how);
    if (!rival) return rival.error();
    if (std::holds_alternative<Failure>(*rival)) return Error{how + " did not load again", "try again"};
    others.push_back(std::get<Side>(*std::move(rival)));
  }
  std::vector<Side*> sides{&baseline, &std::get<Side>(*entered)};
  for (Side& side : others) sides.push_back(&side);
  contest_->enter(sides, process);
  result.warm_up_seconds += seconds_since(cold);

  const StoppingRule rule = stopping_rule(options_, heats.size());
  // Five processes show their spread themselves.
  const ProcessSpread spread =
      options_.perf == Perf::full ? ProcessSpread() : measure_of(options_, profile_, contender.accuracy, rule).spread;
  for (size_t i = 0; i < heats.size() && !cancelled; ++i) {
    auto failure = contest_->run(heats[i], rule, spread, cancelled, cases_[i].blocks);
    if (!failure) return failure.error();
    if (*failure) {
      result.failure = **std::move(failure);
      break;
    }
  }
  result.warm_up_seconds += contest_->take_warm_up_seconds();
  if (options_.perf != Perf::full && !cancelled) entrants_.keep(std::move(baseline), language);
  return Done{};
}

// Whoever is to be raced has to be right first: each compiled form takes the candidate's place for a short race of its own.
Status Races::audition(const Task& task, const std::vector<Heat>& heats, Side& eager, const std::atomic<bool>& cancelled,
                       RaceResult& result) {
  for (const std::string how : {"compile", "max-autotune"}) {
    auto rival = entrants_.compiled(task, how);
    if (!rival) return rival.error();
    std::optional<Failure> failure;
    if (auto* refused = std::get_if<Failure>(&*rival)) failure = std::move(*refused);
    StoppingRule brief = stopping_rule(options_, heats.size());
    brief.seconds = kAuditionSeconds;
    for (size_t i = 0; i < heats.size() && !failure && !cancelled; ++i) {
      std::vector<BlockRecord> forgotten;
      contest_->enter({&eager, &std::get<Side>(*rival)}, 0);
      auto ran = contest_->run(heats[i], brief, spread_of(nullptr), cancelled, forgotten);
      if (!ran) return ran.error();
      failure = *std::move(ran);
    }
    if (failure)
      result.efficiency.rivals.push_back({how, std::nullopt, outcome_summary(failure->outcome)});
    else
      rivals_.push_back(how);
  }
  return Done{};
}

}  // namespace kbx
