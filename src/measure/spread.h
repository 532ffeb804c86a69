// SPDX-License-Identifier: Apache-2.0
// What one pair of processes differs from the next by luck: in the layout of memory, of code, in what else the machine does.
#pragma once

#include <map>
#include <string>

namespace kbx {

// Standard deviation of the log-ratio of two sides, by the clock that decides a race: what the host takes scatters more than what
// a GPU's kernels take.
struct ProcessSpread {
  std::map<std::string, double> by_clock = {};
  double otherwise = 0;

  double of(const std::string& clock) const {
    const auto found = by_clock.find(clock);
    return found == by_clock.end() ? otherwise : found->second;
  }
};

}  // namespace kbx
