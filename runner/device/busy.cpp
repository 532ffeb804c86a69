// SPDX-License-Identifier: Apache-2.0
#include "device/busy.h"

#include <algorithm>

namespace kbx::device {

std::vector<uint64_t> busy_times(std::vector<Interval> intervals, const std::vector<uint64_t>& marks) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<uint64_t> busy(marks.size(), 0);
  auto next = intervals.begin();
  if (!marks.empty())
    while (next != intervals.end() && next->start < marks.front()) ++next;
  for (size_t call = 0; call < marks.size(); ++call) {
    const bool last = call + 1 == marks.size();
    const auto mine = [&] { return next != intervals.end() && (last || next->start < marks[call + 1]); };
    if (!mine()) continue;
    uint64_t covered = next->start;  // up to here everything is accounted for
    for (; mine(); ++next) {
      const uint64_t gap = next->start > covered ? next->start - covered : 0;
      if (gap > kLaunchGapNs) busy[call] += gap;
      covered += gap;
      if (next->end <= covered) continue;
      busy[call] += next->end - covered;
      covered = next->end;
    }
  }
  return busy;
}

}  // namespace kbx::device
