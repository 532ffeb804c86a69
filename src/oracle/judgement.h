// SPDX-License-Identifier: Apache-2.0
// Comparing what a candidate delivered with the truth, by the task's contract. Pure: tensors in, findings out; any device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalogue/task.h"
#include "contracts/findings.h"
#include "oracle/oracle.h"

namespace kbx {

// One output as the candidate delivered it. `value` is undefined when nothing usable came; `problem` says why
// ("returned None", "int64 of shape [3] instead of float32 of shape [3, 1]").
struct Delivered {
  at::Tensor value;
  std::string problem;
  at::Tensor form = {};  // without contents: type and shape of a tensor that came, but not as asked for
};

// Delivered outputs of one call, parallel to Expected::outputs.
using Delivery = std::vector<Delivered>;

// The seeds a case has to be called with: one, or for stochastic tasks {a, b, a} (two seeds differ, one repeats).
std::vector<uint64_t> seeds_to_call(const Task& task, uint64_t seed);

// `deliveries` are parallel to seeds_to_call. REQUIRES: each delivery has expected.outputs.size() entries.
Judgement judge_outputs(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries);

}  // namespace kbx
