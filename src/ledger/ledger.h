// SPDX-License-Identifier: Apache-2.0
// A run on disk: DIR/ledger.sqlite holds its conditions, its verdicts, raw timing samples and stage times.
// docs/ledger.md describes the tables. One process writes at a time (DIR/lock); the kernel frees the lock of a killed one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/verdict.h"

namespace kbx {

// Under which conditions a run judges. All verdicts of a ledger share submission, seed, policy, gate and device.
struct RunInfo {
  std::string submission;  // absolute path
  uint64_t seed = 0;
  std::string policy, gate, device;
  std::string environment, kbx_version;
  int64_t candidates = 0;         // how many the submission has
  std::string created, finished;  // UTC, ISO 8601; `finished` is empty for an unfinished run. Set by the ledger
};

// Use from one thread.
class Ledger {
 public:
  enum class Open { write, read };

  // Opens DIR/ledger.sqlite; `write` creates folder and file, takes the lock, and brings a ledger of an older format to this one
  // with all that it holds. Error (with remedy): another run holds the
  // lock, the folder is read-only, the disk is full, the file is not a ledger or of a newer format, there is none to read.
  static Result<Ledger> open(const std::filesystem::path& dir, Open mode);

  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  // Starts the run, or continues the one that is there: the result carries the seed to use. Error: the ledger's run has
  // another submission, policy, gate or device.
  Result<RunInfo> begin_run(const RunInfo& wanted);

  // The run of this ledger; nothing before begin_run.
  Result<std::optional<RunInfo>> run() const;

  // Marks the run as complete. REQUIRES: begin_run.
  Status finish_run();

  // The verdict on `candidate` if it was judged under the same `key` (a digest of all that decides a verdict).
  Result<std::optional<Verdict>> find(const std::string& candidate, const std::string& key) const;

  // Keeps a verdict, replacing the candidate's earlier one, with its samples: one transaction, on disk when it returns.
  Status record(const Verdict& verdict, const std::string& key, const std::vector<TimingSample>& samples = {});

  // All verdicts, ordered by task and candidate.
  Result<std::vector<Verdict>> verdicts() const;

  // Removes verdicts of candidates that the submission no longer has.
  Status keep_only(const std::vector<std::string>& candidates);

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kbx
