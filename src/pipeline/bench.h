// SPDX-License-Identifier: Apache-2.0
// The cases of one task as all candidates of a run meet them: inputs bound once, oracle and budgets computed once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "core/result.h"
#include "oracle/oracle.h"
#include "pipeline/options.h"

namespace kbx {

// A case with its inputs and the truth about them.
struct PreparedCase {
  Case c;
  Call call;
  Expected expected;
  std::string invalid;  // why the reference itself fails on this case; empty if it does not
};

// Owns the prepared cases of a task. Not thread-safe.
class TaskBench {
 public:
  // `only_case`: a line given by a person instead of the task's own cases. Error: it does not bind.
  // `policy` decides which cases these are and what is expected of them.
  static Result<TaskBench> open(const Task& task, Policy policy, uint64_t seed, at::Device device,
                                const std::optional<std::string>& only_case);

  const Task& task() const { return *task_; }
  uint64_t seed() const { return seed_; }
  size_t size() const { return cases_.size(); }
  const Case& case_at(size_t index) const { return cases_[index]; }
  // Bound and judged by the oracle on first use. `contents` 0 are the case's own contents, 1, 2, ... others of the same
  // shapes; `kOneElement` are
  // the case's own with one secretly chosen element changed.
  const PreparedCase& at(size_t index, uint64_t contents = 0);
  static constexpr uint64_t kOneElement = ~0ull;
  // The inputs alone, in host memory, for a compiler that needs shapes.
  Result<Call> host_inputs(size_t index) const;
  // Seconds spent in the oracle so far.
  double oracle_seconds() const { return oracle_seconds_; }

 private:
  TaskBench(const Task& task, Policy policy, uint64_t seed, at::Device device)
      : task_(&task), policy_(policy), seed_(seed), device_(device) {}
  PreparedCase prepare(size_t index, uint64_t contents);

  const Task* task_;
  Policy policy_;
  uint64_t seed_;
  at::Device device_;
  std::vector<Case> cases_;
  std::map<std::pair<size_t, uint64_t>, std::unique_ptr<PreparedCase>> prepared_;
  double oracle_seconds_ = 0;
};

// Mixes a run's seed with a name, so that tasks and cases get unrelated seeds (SplitMix64 over an FNV-1a hash).
uint64_t derive_seed(uint64_t seed, std::string_view name);

}  // namespace kbx
