// SPDX-License-Identifier: Apache-2.0
// From the blocks of a race to its result: which clock counts, what the intervals are, and whether the numbers can be true.
#pragma once

#include <string>
#include <vector>

#include "core/verdict.h"
#include "measure/profile.h"
#include "measure/series.h"
#include "measure/spread.h"
#include "pipeline/contest.h"

namespace kbx {

// All blocks of one perf case, over all processes.
struct CaseBlocks {
  const Heat* heat = nullptr;
  std::vector<BlockRecord> blocks;
};

// What the numbers are judged by.
struct Measure {
  bool gpu = false, warm = false;
  const DeviceProfile* profile = nullptr;  // null: no roofline, no floor
  ProcessSpread spread;
  Accuracy accuracy = Accuracy::fp32;  // that the candidate showed
  StoppingRule rule;
};

// The blocks of one way of timing, of one side against another.
std::vector<Block> blocks_of(const std::vector<BlockRecord>& records, wire::Timing how, size_t baseline, size_t candidate);

// As TimingSample::clock.
const char* clock_name(wire::Timing how);

// The clock that a perf case is decided by. GPU times are the runner's claim; where the judge's own clock around queued calls
// does not run at that pace, on either side, the host holds the call up (or the claim is false), and the pace decides.
wire::Timing deciding_clock(const std::vector<BlockRecord>& records, bool gpu);

struct CaseStanding {
  PerfResult result;
  Audit audit;
  std::string withheld;  // why its times cannot be believed; empty if they can
};
// REQUIRES: there are blocks.
CaseStanding standing_of(const CaseBlocks& c, const Measure& measure);

// Geometric means, worst case, ratio of sums; quarantined, withheld. `rivals` may be empty.
Efficiency efficiency_of(const std::vector<CaseStanding>& cases, const Measure& measure);

// Dishonest evidence of an audit that noise cannot explain; empty if there is none.
std::string dishonest_evidence(const std::vector<CaseStanding>& cases);

// Geometric mean of a further baseline's times over the candidate's.
Interval rival_speedup(const std::vector<CaseBlocks>& cases, size_t rival, const Measure& measure);

// As the ledger keeps them.
std::vector<TimingSample> raw_samples(const CaseBlocks& c, const std::vector<std::string>& sides);

}  // namespace kbx
