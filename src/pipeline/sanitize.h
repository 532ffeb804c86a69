// SPDX-License-Identifier: Apache-2.0
// --sanitize: once a verdict is reached, the candidate is called again under each tool of compute-sanitizer, and what they find
// becomes diagnoses. Nothing is compared, and no outcome changes.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "core/candidate.h"
#include "core/result.h"
#include "core/verdict.h"
#include "pipeline/bench.h"
#include "pipeline/options.h"
#include "pipeline/start.h"
#include "runner/hosts.h"

namespace kbx {

// Use from one thread.
class SanitizedRuns {
 public:
  // `runner`: as the candidates' runners are.
  SanitizedRuns(const JudgeOptions& options, RunnerOptions runner) : options_(options), runner_(std::move(runner)) {}

  // Whether compute-sanitizer is there and works around a runner of that language, with all layers that are in force: an empty
  // one is started under it and maps the judge's memory. Tried once. Error: what is missing, or what the tool said.
  Status ready(Language language);

  // Adds the findings of all tools on the standard (or published) cases to the verdict's diagnoses, behind those that explain the
  // outcome. A tool that gave no report is named in the verdict's log. REQUIRES: ready(), and `built` did not fail.
  void examine(const Candidate& candidate, const Built& built, TaskBench& bench, const std::atomic<bool>& cancelled,
               Verdict& verdict);

 private:
  JudgeOptions options_;
  RunnerOptions runner_;
  std::map<bool, Status> tried_;  // by whether it is Python
};

}  // namespace kbx
