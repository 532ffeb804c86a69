// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <thread>

namespace kbx {

// While alive, ATen computes on so many threads in this thread; afterwards on as many as before.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) { at::set_num_threads(threads); }
  ~ThreadScope() { at::set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_ = at::get_num_threads();
};

// Threads for what the judge does while nothing is timed: a few of the cores.
inline int judge_threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 4u)); }

}  // namespace kbx
