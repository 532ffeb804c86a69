// SPDX-License-Identifier: Apache-2.0
// A submission from its first candidate to its last: resumable, one verdict after another into the ledger.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/verdict.h"
#include "intake/intake.h"
#include "pipeline/options.h"

namespace kbx {

// Where a submission is judged: on the CPU, on one GPU, or on several of one kind, each with a lane of its own.
struct RunDevices {
  std::string name = "cpu";                           // as the ledger keeps it: "cpu", "cuda:1", "cuda"
  std::vector<Gpu> gpus;                              // of several, this process touches none
  std::function<Status(const JudgeOptions&)> set_up;  // makes the GPU of the options usable in the process that judges
};

struct RunProgress {
  size_t done = 0, total = 0;
  bool resumed = false;              // taken from the ledger
  const Verdict* verdict = nullptr;  // null where there is none
  std::string trouble;               // why there is none: "id: reason"
  std::string starting;              // the candidate that is judged next; then there is neither verdict nor trouble
};

struct RunSummary {
  std::vector<Verdict> verdicts;  // in the submission's order, without logs and cases
  size_t resumed = 0;
  bool interrupted = false;
  std::vector<std::string> troubles;  // of candidates without a verdict
};

// Judges every candidate that the ledger in `out` does not already have under the same key. `options.seed` is used for a
// new ledger; an existing one keeps its own; `options.gpu` is one of `devices`. Error: the ledger cannot be used. Nothing that
// was recorded is lost by any error, by `cancelled` or by a kill.
Result<RunSummary> run_submission(const Submission& submission, const std::string& submission_path,
                                  const std::filesystem::path& out, JudgeOptions options, const RunDevices& devices,
                                  const std::atomic<bool>& cancelled, const std::function<void(const RunProgress&)>& progress);

}  // namespace kbx
