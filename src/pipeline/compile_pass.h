// SPDX-License-Identifier: Apache-2.0
// What Triton's compiler says about a candidate: its own launches compiled for an architecture, without a GPU and without
// running anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"
#include "pipeline/bench.h"
#include "pipeline/census.h"
#include "pipeline/failure.h"
#include "pipeline/options.h"
#include "pipeline/zygotes.h"

namespace kbx {

struct Compiled {
  std::optional<Failure> failure;  // the compiler's own complaint
  std::string broke_off;           // why the pass ended early otherwise; empty if it did not
  Census census;                   // kernels
  std::vector<RunnerFile> cache;   // what a GPU runner of the same candidate loads instead of compiling
  double seconds = 0;
};

// Calls of a pass that decide whether a candidate compiles: the first ones differ in shape and type.
constexpr size_t kDecidingCases = 2;

// Compiles what cases [begin, end) launch. Safe from any thread. Error: ours (no sandbox, no memory).
Result<Compiled> compile_pass(Zygotes& zygotes, const Candidate& candidate, const TaskBench& bench, const JudgeOptions& options,
                              size_t begin, size_t end);

// Compiles what all cases launch, with the cache, in up to `processes` processes beside each other. Only the deciding cases
// make a failure; a kernel that does not compile for a later one is met again by the call of that case.
Result<Compiled> compile_ahead(Zygotes& zygotes, const Candidate& candidate, const TaskBench& bench, const JudgeOptions& options,
                               size_t processes);

}  // namespace kbx
