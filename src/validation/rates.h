// SPDX-License-Identifier: Apache-2.0
// How often the instrument is right, where the truth is known. Pure: recomputed from raw samples by the statistics that judging
// uses (measure/series.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/profile.h"
#include "validation/pairs.h"

namespace kbx {

// What the speed classes of some pairs came to.
struct Classes {
  int pairs = 0, faster = 0, slower = 0, tie = 0, unclear = 0;
  int covered = 0;  // the interval holds the true ratio
};

struct Rates {
  std::map<std::string, Noise> noise;   // as noise_of()
  Classes one, several;                 // the same code on both sides, by the number of processes
  std::map<int, Classes> narrow, wide;  // by per cent of more work: intervals of at most +-1 %, and the rest
  int failed = 0, alarms = 0;           // pairs that could not be raced; pairs that a judge would hold something against
};

// The spread from one pair of processes to the next, by the clock that decided, from the pairs of the same code: those with a
// single pair of processes, which it is for, or where these are fewer than 30 those with several too. The medians of a process's
// odd blocks and of its even ones share nothing but the luck of the process: the mean of their product, both as log-ratios with
// the truth taken off, is its variance. Fewer than 30 products may cancel by luck: then 1 %, unless it is more, or less for sure.
// A clock with less than two is absent.
std::map<std::string, Noise> noise_of(const std::vector<RacedPair>& pairs);

// Each pair's interval takes the spread that the pairs of every other task give, so that none vouches for itself; without such
// pairs as spread_of() says.
Rates rates_of(const std::vector<RacedPair>& pairs);

// What the rates lack for the instrument to be believed; empty: nothing. At least 200 pairs of the same code and 20 of each of 3,
// 5 and 10 % more work; of the former at most 1 % called faster or slower, and 95 +- 3 % of the intervals hold 1; of the narrow
// ones with 5 and 10 % more work at least 95 % are called slower.
std::vector<std::string> shortcomings(const Rates& rates);

}  // namespace kbx
