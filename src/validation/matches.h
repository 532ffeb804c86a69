// SPDX-License-Identifier: Apache-2.0
// What is raced against itself.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <vector>

#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "pipeline/options.h"
#include "validation/pairs.h"

namespace kbx {

// Perf cases of one task that the same processes race through.
struct Match {
  const Task* task;
  std::vector<Case> cases;
  PairKind kind = PairKind::aa;
  int more = 0;
};

// What makes `pairs` of the same code together with those of `done`, whose cases are left out unless they failed; fewer where it
// is cancelled. Tasks come in an order that
// options.seed decides, so that any of the first stand for all. On a GPU four cases of a task that take eager 10 ms or less: of
// its perf cases, then of those that --perf full would add the largest. On the CPU the first perf case of each task before the
// second of any, and what takes eager more than 10 ms last: within the time, intervals get narrow only where calls are short. No
// random tasks: eager draws on from call to call, and would not pass for a candidate, whose draws follow from the seed of each.
std::vector<Match> matches_of_equals(at::Device device, size_t pairs, const JudgeOptions& options,
                                     const std::vector<RacedPair>& done, const std::atomic<bool>& cancelled);

}  // namespace kbx
