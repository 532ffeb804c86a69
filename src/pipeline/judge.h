// SPDX-License-Identifier: Apache-2.0
// The judge: takes a candidate through build, correctness and measurement to its verdict. Never runs candidate code itself.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <string>

#include "core/candidate.h"
#include "core/installation.h"
#include "core/result.h"
#include "core/verdict.h"
#include "intake/intake.h"
#include "pipeline/ahead.h"
#include "pipeline/bench.h"
#include "pipeline/census.h"
#include "pipeline/options.h"
#include "pipeline/race.h"
#include "pipeline/sanitize.h"
#include "pipeline/zygotes.h"
#include "runner/hosts.h"

namespace kbx {

// A verdict with the raw timings that it rests on.
struct Judged {
  Verdict verdict;
  std::vector<TimingSample> samples;
};

// Digest of all that decides a verdict: a ledger re-judges when it changes. `environment`: of environment_line.
std::string verdict_key(const JudgeOptions& options, const std::string& environment, const Candidate& candidate);

// Use from one thread. Keeps zygotes and prepared cases warm between candidates.
class Judge {
 public:
  explicit Judge(JudgeOptions options);
  ~Judge();

  // The closed result. Trouble of our own (no sandbox, no compiler, a runner that does not start) is an Error; the
  // candidate has no verdict then. When `cancelled` turns true the result is an Error too.
  Result<Judged> judge(const Intake& intake, const std::atomic<bool>& cancelled);

  // On a GPU: begins to build this candidate. On the CPU, where it would disturb what is being timed, nothing. REQUIRES: `intake`
  // lives until it is judged.
  void expect(const Intake& intake);
  // Whether it is being built, or is built.
  bool is_expected(const Intake& intake);
  // Of those the first that is ready to be judged; waits for one. REQUIRES: there are any.
  const Candidate& next();

 private:
  Result<TaskBench*> bench_for(const Task& task);
  Status judge_with(TaskBench& bench, const Candidate& candidate, const std::atomic<bool>& cancelled, Judged& judged);
  Status judge_interpreted(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Verdict& verdict);
  Status judge_native(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Judged& judged);
  Status judge_on_gpu(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Judged& judged);
  // Times what is correct and wanted timed; nothing otherwise.
  Status measure(const Candidate& candidate, const Built& built, const Task& task, const std::atomic<bool>& cancelled,
                 Judged& judged);
  Result<Census> load_and_verify(Runner& runner, wire::Role role, const std::string& path, TaskBench& bench,
                                 const std::atomic<bool>& cancelled, Verdict& verdict);
  Result<Census> verify_loaded(Runner& runner, const Reply<Loaded>& loaded, wire::Role role, TaskBench& bench,
                               const std::atomic<bool>& cancelled, Verdict& verdict);
  at::Device device() const;

  JudgeOptions options_;
  std::string environment_;
  RunnerOptions runner_;
  Zygotes zygotes_;
  std::list<TaskBench> benches_;  // most recently used first
  std::optional<Ahead> ahead_;    // on a GPU
  std::optional<SanitizedRuns> sanitized_;
  RunnerOptions timed_runner_;
  Races races_;
};

}  // namespace kbx
