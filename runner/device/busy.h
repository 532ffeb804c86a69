// SPDX-License-Identifier: Apache-2.0
// GPU time of calls from what a device recorded. Pure arithmetic; knows nothing of CUPTI.
#pragma once

#include <cstdint>
#include <vector>

namespace kbx::device {

// What the device ran, in nanoseconds of the clock that the marks are of. REQUIRES: start <= end.
struct Interval {
  uint64_t start = 0, end = 0;
};

// An idle gap up to this length is what lies between two launches, and CUPTI itself makes it longer; a longer one is the call's
// own making (it computes on the host, or waits) and counts as if the device had been busy.
constexpr uint64_t kLaunchGapNs = 100'000;

// Nanoseconds of each call: those in which at least one of its intervals ran, and its gaps longer than kLaunchGapNs in full. Call
// i begins at marks[i] and owns the intervals that start before the next mark, the last one all that follow; what starts before
// the first mark is nobody's. Intervals may come in any order and overlap. REQUIRES: marks do not decrease.
std::vector<uint64_t> busy_times(std::vector<Interval> intervals, const std::vector<uint64_t>& marks);

}  // namespace kbx::device
