// SPDX-License-Identifier: Apache-2.0
// Tasks checked in several processes, since the oracle's settings belong to a process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "selfcheck/check.h"

namespace kbx {

// Forks `jobs` processes, which take the tasks one by one; `done` hears of each as it ends, in this process. A process
// that dies takes its task with it: that is the task's problem. Stops early when `stop` is set. Reports come in the
// order of `tasks`; fewer if stopped. REQUIRES: this process has no other threads.
std::vector<TaskReport> check_tasks(const std::vector<const Task*>& tasks, uint64_t seed, int jobs, const std::atomic<bool>& stop,
                                    const std::function<void(const TaskReport&)>& done);

}  // namespace kbx
