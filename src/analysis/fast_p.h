// SPDX-License-Identifier: Apache-2.0
// How fast a submission is: the share of its candidates that are correct and faster than p times the baseline (Ouyang et al.,
// KernelBench, arXiv:2502.10517, section 3: fast_p), and the share of the correct ones that is slower than eager.
#pragma once

#include <vector>

#include "core/verdict.h"

namespace kbx {

struct FastP {
  double p = 1;
  Interval share;  // of all judged candidates; Wilson's 95 % interval
};

struct SpeedSummary {
  int judged = 0;           // all but not_judged
  int timed = 0;            // correct, with a speedup
  int unclear = 0;          // of those, the interval contains 1 and is not within the tie
  std::vector<FastP> fast;  // p = 0.5, 0.8, 1, 1.5, 2, 3, 5, 10: the speedup's value above p
  Interval slower;          // of the timed ones: whole interval below 1 / 1.02; Wilson's interval
};

// Wilson's score interval of k of n at 95 % (Wilson, JASA 22, 1927). REQUIRES: 0 <= k <= n. n = 0: 0, [0, 1].
Interval wilson(int k, int n);

SpeedSummary speed_summary(const std::vector<Verdict>& verdicts);

}  // namespace kbx
