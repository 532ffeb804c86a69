// SPDX-License-Identifier: Apache-2.0
// One perf case as all sides of a race meet it: the truth about it, and contents that nobody has seen before.
#pragma once

#include <cstdint>
#include <vector>

#include "catalogue/call.h"
#include "catalogue/cases.h"
#include "core/result.h"
#include "oracle/oracle.h"
#include "oracle/timed.h"

namespace kbx {

class Heat {
 public:
  // Consults the oracle once. Throws c10::Error where the reference fails. Error: the line does not bind.
  static Result<Heat> prepare(const Task& task, const Case& c, uint64_t run_seed, at::Device device);

  const Case& perf_case() const { return c_; }
  const Task& task() const { return *task_; }
  // Contents 0, and the oracle's truth about them.
  const Call& first() const { return first_; }
  const Expected& truth() const { return truth_; }
  const TimedTruth& timed() const { return timed_; }
  // Other contents of the same shapes for each index > 0. Error: as prepare.
  Result<Call> contents(uint64_t index) const;
  // Bytes of a set: inputs and outputs.
  int64_t set_bytes() const { return set_bytes_; }
  // Least work of the call, and the type that decides which unit does it.
  const Cost& cost() const { return cost_; }
  at::ScalarType type() const { return type_; }
  // Wall time of the oracle on these contents.
  double oracle_seconds() const { return oracle_seconds_; }

 private:
  Heat(const Task& task, Case c, uint64_t seed, Call first, Expected truth, at::Device device);

  const Task* task_;
  Case c_;
  uint64_t seed_;
  at::Device device_;
  Call first_;
  Expected truth_;
  TimedTruth timed_;
  Cost cost_;
  at::ScalarType type_ = at::kFloat;
  int64_t set_bytes_ = 0;
  double oracle_seconds_ = 0;
};

}  // namespace kbx
