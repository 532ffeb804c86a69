// SPDX-License-Identifier: Apache-2.0
// The stage `measure` on the CPU: the candidate against the eager baseline, each in a fresh runner of the same kind.
// docs/measuring.md describes the plan.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/task.h"
#include "core/result.h"
#include "core/verdict.h"
#include "pipeline/options.h"

namespace kbx {

// What the race found. `failure` is set when a timed call failed or its output was not the right one: the speedup is void.
struct RaceResult {
  Efficiency efficiency;
  std::optional<Outcome> failure;
  std::vector<Diagnosis> diagnosis;   // of the failure
  std::vector<TimingSample> samples;  // raw; `block` counts the pairs of a case
};

// `artifact`, `entry_taken`: of a native candidate that passed. Samples are paired, in random order within a pair, on contents of
// their own; the judge sleeps while a side computes. Error: ours (a runner does not start, memory).
Result<RaceResult> race(const Task& task, const std::string& artifact, const std::string& entry_taken,
                        const JudgeOptions& options, const std::atomic<bool>& cancelled);

}  // namespace kbx
