// SPDX-License-Identifier: Apache-2.0
// What the published benchmark tests a task with: the recorded calls of its tests and its limits for quantised results.
// The files under calls/ are data, written by tools/published.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace kbx {

// Limits on a whole output that replace the elementwise tolerance (upstream: precision_thresholds). All 0: none.
struct PublishedLimits {
  double cosine = 0;       // least cosine similarity
  double l1_relative = 0;  // most sum |y - e| / sum |e|
  double rmse = 0;         // most root mean square of y - e, absolute
};

struct Published {
  std::string_view task;
  std::vector<std::string_view> calls;  // case lines without their stage
  std::string_view left_out;            // calls that no case can express, and why; empty if none
  PublishedLimits limits;
  std::vector<std::string_view> sweep;  // the inputs that it times, smallest first, where a case can express them
};

// Null where nothing is recorded: the task is not of the published benchmark.
const Published* find_published(std::string_view task);

}  // namespace kbx
