// SPDX-License-Identifier: Apache-2.0
// The stages standard, outlier and boundary: calls every case of a task in one runner and verifies what comes back.
#pragma once

#include <atomic>

#include "core/result.h"
#include "core/verdict.h"
#include "pipeline/bench.h"
#include "pipeline/census.h"
#include "pipeline/options.h"
#include "runner/runner.h"

namespace kbx {

// REQUIRES: the runner has loaded the candidate. Fills verdict.cases, gates, diagnosis, operators and times, and sets
// verdict.outcome; returns what the runner said about what ran. Polls `cancelled` between cases; the verdict is then not to
// be recorded. Error: ours (no memory for a case).
Result<Census> verify_candidate(Runner& runner, wire::Role role, TaskBench& bench, const JudgeOptions& options,
                                const std::atomic<bool>& cancelled, Verdict& verdict);

}  // namespace kbx
