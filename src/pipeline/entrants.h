// SPDX-License-Identifier: Apache-2.0
// Who takes part in a race, each started in a process of its own that does nothing but be timed.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "core/candidate.h"
#include "core/result.h"
#include "pipeline/options.h"
#include "pipeline/side.h"
#include "pipeline/start.h"
#include "pipeline/zygotes.h"

namespace kbx {

// The candidate of a race.
struct Contender {
  const Candidate* candidate = nullptr;
  const Built* built = nullptr;
  std::string entry;                   // the function that was taken in the correctness stages
  Accuracy accuracy = Accuracy::fp32;  // that it showed there
};

// Use from one thread. Keeps the eager baselines' runners for the next candidate.
class Entrants {
 public:
  // REQUIRES: all three outlive it.
  Entrants(const JudgeOptions& options, const RunnerOptions& runner, Zygotes& zygotes)
      : options_(options), runner_(runner), zygotes_(zygotes) {}

  using Entered = std::variant<Side, Failure>;
  // Error: ours. A Failure is the candidate's own.
  Result<Entered> candidate(const Task& task, const Contender& contender);
  // The task's operator in a runner of the same kind as a candidate in `language` has. A Failure: the reference does not load.
  Result<Entered> eager(const Task& task, Language language);
  // The same, in a process that nobody has used.
  Result<Entered> fresh_eager(const Task& task, Language language);
  // The same by torch.compile; `how`: "compile" or "max-autotune". Python only.
  Result<Entered> compiled(const Task& task, const std::string& how);

  // Keeps an eager side's runner, so that the next race need not start one.
  void keep(Side side, Language language);

 private:
  bool python(Language language) const { return language == Language::triton; }
  // Forks a baseline from the warm process: its files are handed over like a candidate's.
  Result<std::unique_ptr<Runner>> fork_baseline(const std::string& file);
  Result<Entered> load_eager(const Task& task, Language language, std::unique_ptr<Runner> runner);
  // `writes_results`: as of a side. Only a native candidate is given where its results go; the reference returns new tensors.
  Result<Entered> load(std::string name, std::unique_ptr<Runner> runner, const Task& task, wire::Role role,
                       const std::string& path, const std::string& entry, bool writes_results = false);

  const JudgeOptions& options_;
  const RunnerOptions& runner_;
  Zygotes& zygotes_;
  std::unique_ptr<Runner> idle_python_, idle_native_;
};

}  // namespace kbx
