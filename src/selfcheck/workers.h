// SPDX-License-Identifier: Apache-2.0
// Tasks checked in several processes, since the oracle's settings belong to a process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/result.h"
#include "selfcheck/check.h"

namespace kbx {

struct WorkerOptions {
  uint64_t seed = kSelfcheckSeed;
  int jobs = 1;
  at::Device device = at::kCPU;
  // Makes the device usable, in each process anew: a context does not survive a fork. Empty for the CPU.
  std::function<Status()> start_device = {};
};

// Forks a process for each task, `jobs` at a time; `done` hears of each as it ends, in this process. A process that dies
// takes its task with it: that is the task's problem. One whose device is lost is followed by another without the trial that
// lost it. Stops early when `stop` is set. Reports come in the order of `tasks`; fewer if stopped. REQUIRES: this process has
// no other threads, and has not started the device.
std::vector<TaskReport> check_tasks(const std::vector<const Task*>& tasks, const WorkerOptions& options,
                                    const std::atomic<bool>& stop, const std::function<void(const TaskReport&)>& done);

}  // namespace kbx
