// SPDX-License-Identifier: Apache-2.0
#include "validation/control.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "catalogue/cases.h"
#include "core/clock.h"
#include "pipeline/contest.h"
#include "pipeline/entrants.h"
#include "pipeline/patience.h"
#include "pipeline/race.h"
#include "pipeline/request.h"
#include "pipeline/standing.h"
#include "pipeline/start.h"
#include "validation/matches.h"
#include "validation/more_work.h"
#include "validation/rates.h"

namespace kbx {
namespace {

constexpr size_t kSeveralOf = 8;                           // each so many-th task is raced in several pairs of processes
constexpr double kSeveralUntil = 0.15, kMoreUntil = 0.45;  // shares of the time
constexpr int kMorePairs = 5;                              // of processes, for each level

struct Duo {
  Side baseline, candidate;
};

// The perf cases of a match as they are raced, and of each that cannot be why.
struct Prepared {
  std::vector<std::optional<Heat>> heats;
  std::vector<std::string> failed;
};

class Control {
 public:
  Control(at::Device device, const JudgeOptions& options, const DeviceProfile& profile, double seconds,
          const std::atomic<bool>& cancelled, const ControlListener& listener)
      : device_(device),
        options_(options),
        runner_(timed_runner_options(options_)),
        zygotes_(runner_),
        entrants_(options_, runner_, zygotes_),
        contest_(device, options_),
        profile_(profile),
        seconds_(seconds),
        cancelled_(cancelled),
        listener_(listener),
        spread_(spread_of(&profile)) {}

  Status run(const ControlPlan& plan) {
    done_ = plan.done;
    const std::vector<Match> all = matches_of_equals(device_, static_cast<size_t>(plan.pairs), options_, done_, cancelled_);
    start_ = Clock::now();
    const bool anew = done_.empty();
    for (size_t i = 0; anew && i < all.size() && (i == 0 || goes_on(kSeveralUntil)); i += kSeveralOf)
      if (auto raced = race(all[i], prepare(all[i]), Perf::full); !raced) return raced.error();
    DeviceProfile known = profile_;
    known.noise = noise_of(done_);
    if (!known.noise.empty()) spread_ = spread_of(&known);
    if (auto raced = race_more_work(); !raced) return raced.error();
    for (size_t i = 0; i < all.size() && goes_on(1); ++i)
      if (!anew || i % kSeveralOf != 0)
        if (auto raced = race(all[i], prepare(all[i]), Perf::automatic); !raced) return raced.error();
    return Done{};
  }

 private:
  bool goes_on(double share) const { return !cancelled_ && seconds_since(start_) < share * seconds_; }
  Language language() const { return device_.is_cuda() ? Language::triton : Language::cpp; }

  Status race_more_work() {
    const Task* relu = find_task("relu");
    for (const int more : kMoreLevels)
      if (auto built = build(more); !built) return built.error();
    Match match{relu, more_work_cases(device_.type()), PairKind::more};
    const Prepared prepared = prepare(match);
    for (int i = 0; i < kMorePairs; ++i)
      for (const int more : kMoreLevels) {
        match.more = more;
        if (i < rounds_done(match)) continue;
        if (i > 0 && !goes_on(kMoreUntil)) return Done{};
        if (auto raced = race(match, prepared, Perf::automatic); !raced) return raced.error();
      }
    return Done{};
  }

  int rounds_done(const Match& match) const {
    const auto cases = std::ranges::count_if(
        done_, [&](const RacedPair& p) { return p.kind == PairKind::more && p.more == match.more && p.failed.empty(); });
    return static_cast<int>(cases) / static_cast<int>(match.cases.size());
  }

  Status build(int more) {
    auto candidate = more_work_candidate(device_.type(), more);
    if (!candidate) return candidate.error();
    Built built;  // Triton compiles at the first call
    if (candidate->language == Language::cpp) {
      auto made = build_candidate(*candidate, *find_task("relu"), options_, zygotes_);
      if (!made) return made.error();
      if (made->failure) return Error{"the control's own candidate does not compile", made->failure->log};
      built = *std::move(made);
    }
    workers_.insert_or_assign(more, std::pair(*std::move(candidate), std::move(built)));
    return Done{};
  }

  // Two processes for a match; what is kept of an earlier one serves again only as a judge lets it.
  Result<std::variant<Duo, Failure>> start(const Match& match, Perf perf) {
    auto baseline = match.kind == PairKind::more ? worker(0)
                    : perf == Perf::full         ? entrants_.fresh_eager(*match.task, language())
                                                 : entrants_.eager(*match.task, language());
    if (!baseline) return baseline.error();
    if (auto* failure = std::get_if<Failure>(&*baseline)) return std::variant<Duo, Failure>(std::move(*failure));
    auto candidate = match.kind == PairKind::more ? worker(match.more) : entrants_.fresh_eager(*match.task, language());
    if (!candidate) return candidate.error();
    if (auto* failure = std::get_if<Failure>(&*candidate)) return std::variant<Duo, Failure>(std::move(*failure));
    return std::variant<Duo, Failure>(Duo{std::get<Side>(*std::move(baseline)), std::get<Side>(*std::move(candidate))});
  }

  Result<Entrants::Entered> worker(int more) {
    const auto& [candidate, built] = workers_.at(more);
    return entrants_.candidate(*find_task("relu"),
                               Contender{&candidate, &built, more_work_entry(device_.type(), more), Accuracy::exact});
  }

  // All cases of a match, each recorded. An interrupted one is not.
  Status race(const Match& match, const Prepared& prepared, Perf perf) {
    listener_.progress(match.kind == PairKind::aa ? std::string(match.task->id) : fmt::format("{} % more work", match.more));
    JudgeOptions as = options_;
    as.perf = perf;
    const size_t cases = match.kind == PairKind::aa ? perf_cases_of(*match.task, device_.type()).size() : match.cases.size();
    const StoppingRule rule = stopping_rule(as, cases);
    const std::vector<std::optional<Heat>>& heats = prepared.heats;
    std::vector<std::string> failed = prepared.failed;
    std::vector<CaseBlocks> blocks(match.cases.size());
    for (int process = 0; process < process_pairs(perf); ++process)
      race_through(match, perf, process, rule, heats, blocks, failed);
    for (size_t i = 0; i < heats.size() && !cancelled_; ++i) {
      blocks[i].heat = heats[i] ? &*heats[i] : nullptr;
      done_.push_back(pair_of(match, match.cases[i], rule, blocks[i], failed[i]));
      if (auto kept = listener_.record(done_.back()); !kept) return kept.error();
    }
    return Done{};
  }

  Prepared prepare(const Match& match) const {
    Prepared all{std::vector<std::optional<Heat>>(match.cases.size()), std::vector<std::string>(match.cases.size())};
    Patience patience(*match.task, device_.type());
    for (size_t i = 0; i < match.cases.size() && !cancelled_; ++i) {
      if (!patience.bears(match.cases[i])) {
        all.failed[i] = "its truth takes too long";
        continue;
      }
      try {
        auto heat = Heat::prepare(*match.task, match.cases[i], options_.seed, device_);
        if (heat) patience.note(match.cases[i], heat->oracle_seconds());
        if (heat)
          all.heats[i] = *std::move(heat);
        else
          all.failed[i] = heat.error().text();
      } catch (const c10::Error& e) {
        all.failed[i] = e.what_without_backtrace();
      }
    }
    return all;
  }

  // One pair of processes through all cases that have not failed; another takes its place after a failure.
  void race_through(const Match& match, Perf perf, int process, const StoppingRule& rule,
                    const std::vector<std::optional<Heat>>& heats, std::vector<CaseBlocks>& blocks,
                    std::vector<std::string>& failed) {
    const ProcessSpread spread = process_pairs(perf) > 1 ? ProcessSpread() : spread_;  // several measure it themselves
    std::optional<Duo> duo;
    for (size_t i = 0; i < heats.size() && !cancelled_; ++i) {
      if (!failed[i].empty()) continue;
      if (!duo) {
        auto started = start(match, perf);
        if (!started)
          failed[i] = started.error().text();
        else if (auto* failure = std::get_if<Failure>(&*started))
          failed[i] = outcome_summary(failure->outcome);
        if (!failed[i].empty()) continue;
        duo.emplace(std::get<Duo>(*std::move(started)));
        contest_.enter({&duo->baseline, &duo->candidate}, process);
      }
      failed[i] = contest(*heats[i], rule, spread, blocks[i].blocks);
      if (!failed[i].empty()) duo.reset();
    }
    if (duo && match.kind == PairKind::aa && perf == Perf::automatic) entrants_.keep(std::move(duo->baseline), language());
  }

  std::string contest(const Heat& heat, const StoppingRule& rule, const ProcessSpread& spread, std::vector<BlockRecord>& blocks) {
    try {
      const auto ran = contest_.run(heat, rule, spread, cancelled_, blocks);
      if (!ran) return ran.error().text();
      return *ran ? outcome_summary((*ran)->outcome) : "";
    } catch (const c10::Error& e) {
      return e.what_without_backtrace();
    }
  }

  RacedPair pair_of(const Match& match, const Case& c, const StoppingRule& rule, const CaseBlocks& blocks,
                    const std::string& failed) const {
    RacedPair p{.kind = match.kind, .task = std::string(match.task->id), .line = c.line, .more = match.more, .failed = failed};
    if (match.kind == PairKind::more) p.truth = more_work_truth(c, device_.type(), match.more);
    if (!failed.empty()) return p;
    const Measure measure{.gpu = device_.is_cuda(), .profile = &profile_, .spread = spread_, .rule = rule};
    const wire::Timing clock = deciding_clock(blocks.blocks, measure.gpu);
    p.clock = clock_name(clock);
    p.least = rule.least;
    p.blocks = blocks_of(blocks.blocks, clock, Contest::kBaseline, Contest::kCandidate);
    const CaseStanding standing = standing_of(blocks, measure);
    p.alarm = standing.result.quarantined;
    if (!standing.withheld.empty()) p.alarm = standing.withheld;
    return p;
  }

  at::Device device_;
  const JudgeOptions& options_;
  RunnerOptions runner_;
  Zygotes zygotes_;
  Entrants entrants_;
  Contest contest_;
  const DeviceProfile& profile_;
  double seconds_;
  const std::atomic<bool>& cancelled_;
  const ControlListener& listener_;
  Clock::time_point start_ = Clock::now();
  ProcessSpread spread_;
  std::map<int, std::pair<Candidate, Built>> workers_;  // by per cent
  std::vector<RacedPair> done_;
};

}  // namespace

Status run_control(at::Device device, const JudgeOptions& options, const DeviceProfile& profile, const ControlPlan& plan,
                   const std::atomic<bool>& cancelled, const ControlListener& listener) {
  return Control(device, options, profile, plan.seconds, cancelled, listener).run(plan);
}

}  // namespace kbx
