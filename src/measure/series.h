// SPDX-License-Identifier: Apache-2.0
// What one perf case came to: paired blocks of two sides, their ratio with its interval, and when there are enough of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "measure/profile.h"

namespace kbx {

// One block: both sides on the same contents, one right after the other. Seconds per call.
struct Block {
  int process = 0;  // pair of processes that it belongs to
  double baseline = 0, candidate = 0;
  bool discarded = false;  // the machine disturbed it
};

struct StoppingRule {
  double half_width = 0.01;  // of the log-ratio's 95 % interval
  // Of nine values the interval leaves out one at either end: one disturbed block cannot decide it. Of eight it is the range, a
  // 99 % interval that one block in twenty spoils.
  int least = 9, most = 200;
  double seconds = 1;  // for this case
};

// Blocks that count: those not discarded. Where fewer than `least` are left, all of them (nothing better is known).
std::vector<Block> counted(const std::vector<Block>& blocks, int least);

// Ratio baseline / candidate with its 95 % interval. Blocks of one process share its luck (layout of memory, of code): with five
// or more processes the interval comes from the medians of the processes (Student's t); with fewer it is that of the pooled
// blocks (order statistics), widened in quadrature by 1.96 x `process_spread` / sqrt(processes). REQUIRES: not empty, all
// positive.
Interval ratio_of(const std::vector<Block>& blocks, double process_spread);

// Whether sampling of the process of the last block may end: `most` blocks of it, or the time is up and it has `least`, or its
// own ratio is known well enough. That is: the interval is narrow, or its width comes from `process_spread`, to which no block
// adds anything. With five processes to come, Student's t measures that spread: pass 0.
//
// Looking until the interval is narrow picks out blocks that agree by luck, and such an interval holds the truth less often
// than 95 % (Anscombe, J. R. Stat. Soc. B 15, 1953). Two guards against that: it is looked at less often the more blocks there
// are (each; from 16 on every second, from 24 on every third, ...), and it must be narrow without the last block too. What is
// left, simulated (series_test.cpp): 93 to 97 % for noise of 0.3 to 3 % in each side of a block with one block in twenty
// 20 % off; without the guards down to 91.6 %.
bool settled(const std::vector<Block>& blocks, const StoppingRule& rule, double seconds_spent, double process_spread);

// The judge's clock against a runner's claim, both sides in the same messages. `unclaimed`: judge's time per call minus the
// claim, for each block. What the candidate leaves out beyond what the baseline leaves out was spent outside of the claimed span.
struct Audit {
  double hidden_seconds = 0;  // at least so much per call, with 97.5 % confidence; may be negative
  bool contradicted = false;  // hidden_seconds is above the tolerance plus a fifth of the call
  // Contradicted, and so many single blocks are above that bound that it happens to a candidate which hides no more with a
  // probability of at most 1e-6 (sign test: all of 20 blocks, 35 of 40, ...).
  bool impossible = false;
};
// Times per call; tolerance: 0.5 ms on the CPU, 0.1 ms on a GPU. REQUIRES: one value per block on both sides, not empty.
Audit audit(const std::vector<double>& baseline_unclaimed, const std::vector<double>& candidate_unclaimed, double call_seconds,
            double tolerance_seconds);

// Baseline and candidate in random order, drawn anew for each block.
class Order {
 public:
  explicit Order(uint64_t seed) : random_(seed) {}
  // A permutation of 0 .. sides-1.
  std::vector<int> next(int sides);

 private:
  std::mt19937_64 random_;
};

}  // namespace kbx
