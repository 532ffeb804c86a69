// SPDX-License-Identifier: Apache-2.0
// Every output of a timed call is verified, a ring of them at a time: a kernel that is wrong only when it is timed has no time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "pipeline/failure.h"
#include "pipeline/heat.h"
#include "pipeline/side.h"

namespace kbx {

// A set of which the oracle was asked.
struct OracleSet {
  int set = -1;  // none
  const Expected* truth = nullptr;
};

// `calls`: what the sets of `side` were called with, `deliveries`: what was taken right afterwards. Set `oracle` is compared with
// the oracle's truth (of a random task: sets 0, 1, ... alike, which were called with the seeds of seeds_to_call() for the first);
// all others with the judge's own eager result, within the oracle's budget (docs/measuring.md). Also: red zones, inputs, writes
// after the call. `block` names the calls in messages. Nothing: all is right.
std::optional<Failure> verify_timed(const Heat& heat, Side& side, const std::vector<Call>& calls,
                                    std::vector<Delivery> deliveries, OracleSet oracle, int block);

}  // namespace kbx
