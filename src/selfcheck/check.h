// SPDX-License-Identifier: Apache-2.0
// One task put to the proof: what is honest has to pass on every case, what is degraded or something else has to fail on
// one. Judged by the code that judges candidates; nothing runs in a sandbox, since nothing here is foreign.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "catalogue/task.h"

namespace kbx {

enum class Kind { honest, degraded, mutant };
enum class Fate {
  passed,    // on every case
  rejected,  // on at least one
  absent,    // nowhere different from the reference, or nowhere different from the truth but for the rounding of results
};

// One computation on the cases of a task.
struct Trial {
  std::string name;
  Kind kind = Kind::mutant;
  Fate fate = Fate::absent;
  double ratio = 0;          // the largest error / budget that was seen; infinite where nothing forgives it
  std::string line = {};     // the case that it is from
  std::string detail = {};   // why that case rejects it
  std::string allowed = {};  // why it may pass all the same
};

struct BlindCase {
  std::string line;
  double ratio = 0;
  bool recognised = false;  // by the second test, though the budget hides it
};

struct TaskReport {
  std::string task, contract = {};
  size_t cases = 0;
  double seconds = 0;
  std::vector<Trial> trials = {};
  std::vector<BlindCase> cannot_tell_tf32 = {};  // standard cases where inputs cut to TF32 stay below twice the budget
  std::vector<std::string> problems = {};        // empty: all is as it should be
};

// The allowances are made for these cases; with another seed a line of them may not be needed.
inline constexpr uint64_t kSelfcheckSeed = 1;

// A trial after which nothing runs on the device any more in this process (a device-side assertion, an illegal address).
struct DeviceLost {
  std::string trial, error;
};

// `seed` draws the cases as it does for a run. Trials in `without` are left out: the device does not survive them. Throws
// DeviceLost when it meets another of these.
TaskReport check_task(const Task& task, uint64_t seed, at::Device device, const std::set<std::string>& without = {});

}  // namespace kbx
