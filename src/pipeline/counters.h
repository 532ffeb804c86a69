// SPDX-License-Identifier: Apache-2.0
// --counters: what the GPU's hardware counters say of a candidate, by ncu (Nsight Compute). It is called again in a runner of its
// own, on the largest perf case, for this alone: nothing is verified or timed meanwhile, and no outcome changes.
//
// Which launches count: ncu begins to profile when it is told to, and the runner tells it around each call but the first
// (wire::kProfile). The first one compiles and tunes, undisturbed; the second is all that ncu reports.
#pragma once

#include <string>
#include <vector>

#include "catalogue/task.h"
#include "core/candidate.h"
#include "core/result.h"
#include "core/verdict.h"
#include "pipeline/options.h"
#include "pipeline/start.h"
#include "runner/hosts.h"

namespace kbx {

// Whether candidates can be counted: hardware counters are out of reach in the sandbox, and ncu has to be there. Error: what is
// in the way. That the driver allows it is only seen when something is counted.
Status counters_ready(const Layers& layers);

// ncu's command line up to the program, which writes its report to the file `log`. Clocks are left alone: bytes and shares of
// cycles do not depend on them, and fixing them takes rights and disturbs what else is measured. Caches are flushed before each
// kernel, as a timed call finds them: so what one kernel of a call leaves for the next one counts as traffic.
std::vector<std::string> ncu_command(const std::string& ncu, const std::string& log);

// `built`: of a candidate that is correct. `runner`: as the candidates' runners are. Evaluates the task's cost and oracle on the
// case. Error: ours, or the tool's. Throws c10::Error as the oracle does. REQUIRES: counters_ready(runner.layers).
Result<Counters> count_call(const Candidate& candidate, const Task& task, const Built& built, const JudgeOptions& options,
                            RunnerOptions runner);

}  // namespace kbx
