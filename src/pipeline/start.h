// SPDX-License-Identifier: Apache-2.0
// The two things that are done for a GPU candidate before its first call: building it, and starting a runner that loads it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "catalogue/task.h"
#include "core/candidate.h"
#include "core/result.h"
#include "pipeline/compile_pass.h"
#include "pipeline/failure.h"
#include "pipeline/options.h"
#include "pipeline/zygotes.h"
#include "runner/hosts.h"

namespace kbx {

// What building a candidate came to.
struct Built {
  std::optional<Failure> failure;  // it is not worth running
  std::string artifact;            // native: the shared library
  Compiled compiled;               // Triton
  double seconds = 0;
};

// A runner that was asked to load its candidate.
struct Started {
  std::unique_ptr<Runner> runner;
  Reply<Loaded> loaded = Broken{};
  double seconds = 0;   // that loading took
  bool beside = false;  // another candidate had memory of the GPU meanwhile
};

// Compiles all that the candidate's cases launch. Error: ours. Safe from any thread.
Result<Built> build_candidate(const Candidate& candidate, const Task& task, const JudgeOptions& options, Zygotes& zygotes);

// A runner with the candidate loaded; it makes its GPU context on the way. Error: ours. Safe from any thread.
Result<Started> start_candidate(const Candidate& candidate, const Task& task, const Built& built, const JudgeOptions& options,
                                const RunnerOptions& runner, Zygotes& zygotes);

}  // namespace kbx
