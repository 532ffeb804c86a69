// SPDX-License-Identifier: Apache-2.0
// The stage `measure`: a correct candidate against the eager baseline, each in a process of its own. docs/measuring.md describes
// the plan.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "core/result.h"
#include "core/verdict.h"
#include "measure/profile.h"
#include "pipeline/contest.h"
#include "pipeline/entrants.h"
#include "pipeline/heat.h"
#include "pipeline/options.h"
#include "pipeline/standing.h"

namespace kbx {

// The task's own perf cases; with --perf full those that the published benchmark times too, behind them; by the published rules
// those alone.
std::vector<Case> timed_cases(const Task& task, at::Device device, const JudgeOptions& options);
// How many pairs of processes a race takes, and when each of its `cases` perf cases has enough blocks in one of them.
int process_pairs(Perf perf);
StoppingRule stopping_rule(const JudgeOptions& options, size_t cases);

// What the race found. `failure` is set when a timed call failed or its output was not the right one: the speedup is void.
struct RaceResult {
  Efficiency efficiency;
  std::optional<Failure> failure;
  std::vector<TimingSample> samples;  // raw
  std::vector<std::string> left_out;  // sizes that Patience does not bear
  double prepare_seconds = 0;         // of the perf cases and their truths, for the first candidate of a task
  double warm_up_seconds = 0;         // of the processes' starts, and of what they compile and tune
};

// The races of one judge. Keeps perf cases with their truths, the baselines' runners, and what is known of the device. Use from
// one thread.
class Races {
 public:
  // REQUIRES: all but `device` outlive it.
  Races(at::Device device, const JudgeOptions& options, const RunnerOptions& runner, Zygotes& zygotes)
      : device_(device), options_(options), entrants_(options, runner, zygotes) {}

  // REQUIRES: the candidate is correct. Error: ours (a runner does not start, memory, the baseline fails).
  Result<RaceResult> race(const Task& task, const Contender& contender, const std::atomic<bool>& cancelled);

 private:
  struct Track {
    const Task* task;
    std::vector<Heat> heats;
    std::vector<std::string> left_out;
  };
  // `seconds`: that making it took, where it was not there.
  Result<Track*> track_of(const Task& task, double& seconds);
  Status learn_device();
  // One group of processes through all heats.
  Status run_process(const Task& task, const Contender& contender, int process, const std::vector<Heat>& heats,
                     const std::atomic<bool>& cancelled, RaceResult& result);
  Status audition(const Task& task, const std::vector<Heat>& heats, Side& eager, const std::atomic<bool>& cancelled,
                  RaceResult& result);

  at::Device device_;
  const JudgeOptions& options_;
  Entrants entrants_;
  std::list<Track> tracks_;  // most recently used first
  std::optional<DeviceProfile> profile_;
  std::unique_ptr<Contest> contest_;

  // Of the race at hand.
  std::vector<CaseBlocks> cases_;
  std::vector<std::string> rivals_;  // that passed their audition
};

}  // namespace kbx
