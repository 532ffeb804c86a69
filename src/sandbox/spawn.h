// SPDX-License-Identifier: Apache-2.0
// fork and exec of a child that does not outlive the judge. Knows nothing of sandboxes.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace kbx {

struct SpawnPlan {
  std::vector<std::string> argv;         // argv[0] is the path
  std::vector<std::string> environment;  // complete
  std::vector<int> descriptors;          // become 3, 4, ...; everything else is closed
  int output = -1;                       // 1 and 2; -1: /dev/null
  std::string folder = "/";              // working folder
};

// The child's pid. It leads a session of its own, is the first that the kernel sacrifices when memory runs out, and gets SIGKILL
// when the judge dies: the signal comes when the thread that forked ends, so one thread that never ends does it for all. The
// caller reaps. Safe from any thread. Error: the program does not exist or cannot be started.
Result<int> spawn(const SpawnPlan& plan);

}  // namespace kbx
