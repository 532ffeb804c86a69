// SPDX-License-Identifier: Apache-2.0
// Which further sizes of a task the oracle is asked about.
#pragma once

#include <vector>

#include "catalogue/cases.h"
#include "catalogue/task.h"

namespace kbx {

// Truths that are computed number by number on the host (the Airy function's) take minutes for sizes that a GPU calls within a
// millisecond.
class Patience {
 public:
  Patience(const Task& task, at::DeviceType device) : own_(perf_cases_of(task, device)) {}

  // Whether it is a perf case of the task itself, or the oracle would take at most 20 s, in proportion to the inputs of the
  // largest case that it has taken a second for.
  bool bears(const Case& c) const;
  void note(const Case& c, double oracle_seconds);

 private:
  std::vector<Case> own_;
  double seconds_ = 0, bytes_ = 0;
};

}  // namespace kbx
