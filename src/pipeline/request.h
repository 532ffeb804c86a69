// SPDX-License-Identifier: Apache-2.0
// How a candidate or a baseline of a task is built and loaded: the same words for correctness and for timing.
#pragma once

#include <string>

#include "build/native_build.h"
#include "catalogue/task.h"
#include "pipeline/options.h"
#include "runner/hosts.h"
#include "runner/runner.h"

namespace kbx {

// `path` as the runner sees it. Names to look for: the task's entry, its id, `kernel_function`. Census and poison are on.
// Where candidates run on a GPU, they are compiled for that one, with all that its runner will ask for.
LoadRequest load_request(const Task& task, wire::Role role, const std::string& path, const JudgeOptions& options);

NativeBuildOptions native_build_options(const JudgeOptions& options);

// For runners that are called, and for those that are timed.
RunnerOptions runner_options(const JudgeOptions& options);
RunnerOptions timed_runner_options(const JudgeOptions& options);

}  // namespace kbx
