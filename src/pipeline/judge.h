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
#include "pipeline/bench.h"
#include "pipeline/census.h"
#include "pipeline/options.h"
#include "runner/hosts.h"

namespace kbx {

// A verdict with the raw timings that it rests on.
struct Judged {
  Verdict verdict;
  std::vector<TimingSample> samples;
};

// Use from one thread. Keeps zygotes and prepared cases warm between candidates.
class Judge {
 public:
  explicit Judge(JudgeOptions options);
  ~Judge();

  // The closed result. Trouble of our own (no sandbox, no compiler, a runner that does not start) is an Error; the
  // candidate has no verdict then. When `cancelled` turns true the result is an Error too.
  Result<Judged> judge(const Intake& intake, const std::atomic<bool>& cancelled);

  // Digest of all that decides a verdict: a ledger re-judges when it changes.
  std::string key(const Candidate& candidate) const;

 private:
  struct Compiled;
  Result<TaskBench*> bench_for(const Task& task);
  Result<Zygote*> zygote(wire::Role role);
  Status judge_python(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Verdict& verdict);
  Status judge_native(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Judged& judged);
  Result<Compiled> compile_python(const Candidate& candidate, const TaskBench& bench, size_t begin, size_t end);
  Result<Census> load_and_verify(Runner& runner, wire::Role role, const std::string& path, TaskBench& bench,
                                 const std::atomic<bool>& cancelled, Verdict& verdict);
  RunnerOptions runner_options() const;
  at::Device device() const;

  JudgeOptions options_;
  std::string environment_;
  std::list<TaskBench> benches_;        // most recently used first
  std::unique_ptr<Zygote> zygotes_[3];  // interpret, compile, cuda
};

}  // namespace kbx
