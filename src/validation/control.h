// SPDX-License-Identifier: Apache-2.0
// Races whose outcome is known, run as a judge runs its own: the same processes, blocks, clocks, verification and stopping rule.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <functional>
#include <string>

#include "core/result.h"
#include "measure/profile.h"
#include "pipeline/options.h"
#include "validation/pairs.h"

namespace kbx {

struct ControlPlan {
  int pairs = 240;                   // of the same code on both sides: matches_of_equals()
  double seconds = 480;              // what has not begun by then is left out, but for the first of its kind
  std::vector<RacedPair> done = {};  // by an earlier run under the same conditions: not raced again
};

struct ControlListener {
  std::function<Status(const RacedPair&)> record;    // told each pair as it is done; an Error ends the control
  std::function<void(const std::string&)> progress;  // told what comes next
};

// First, where nothing is done yet, an eighth of the tasks in five pairs of processes, whose spread enters the intervals that end
// the races after them; then more work in five pairs of processes for each level; then all other tasks in one. A pair that fails
// is recorded with its reason. Cancelled: ends early, as if all were done. REQUIRES: options.gpu is that of `device`. Error: ours
// (a pair cannot be recorded, an incomplete installation).
Status run_control(at::Device device, const JudgeOptions& options, const DeviceProfile& profile, const ControlPlan& plan,
                   const std::atomic<bool>& cancelled, const ControlListener& listener);

}  // namespace kbx
