// SPDX-License-Identifier: Apache-2.0
// Where runners come from: runner-native is started per candidate, Python candidates are forked from a warm zygote.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"
#include "runner/runner.h"
#include "sandbox/sandbox.h"

namespace kbx {

struct RunnerOptions {
  Layers layers;
  Limits limits;
  size_t arena_bytes = 256u << 20;
  int threads = 1;  // that the runner's libraries may start (OMP_NUM_THREADS)
  int device = -1;  // CUDA ordinal, -1: host
  // A tool under which the program runs: its command line up to the program, and what it must see. It may start processes and
  // threads, so without Landlock and filter the runner takes nothing from itself.
  std::vector<std::string> wrapper, wrapper_paths;
  // The warm process becomes the one candidate's runner itself, for a tool that does not follow a fork.
  bool in_place = false;
};

// A runner for a shared library: sandboxed, sees only `artifact`. Error: ours.
Result<std::unique_ptr<Runner>> start_native_runner(const std::string& artifact, const RunnerOptions& options);

// A runner of the same kind with libkbx_reference.so loaded: the baseline that is raced. Loads entry `kbx::<entry>`.
Result<std::unique_ptr<Runner>> start_baseline_runner(const RunnerOptions& options);

// One warm Python process per role; restarted when it died. Safe from any thread; a runner belongs to one thread at a time.
class Zygote {
 public:
  // REQUIRES: role is interpret, compile or cuda.
  static Result<std::unique_ptr<Zygote>> start(wire::Role role, const RunnerOptions& options);
  virtual ~Zygote() = default;
  // Forks a candidate's runner. The source is handed over as text and written to the runner's scratch. `cache`: what another
  // runner of this very candidate gave as its harvest; it lies in the new one's Triton cache before the candidate is loaded.
  virtual Result<std::unique_ptr<Runner>> spawn(const Candidate& candidate, const std::vector<RunnerFile>& cache) = 0;
  Result<std::unique_ptr<Runner>> spawn(const Candidate& candidate) { return spawn(candidate, {}); }
  // Asks the warm process to end, and kills it if it has not within `seconds`. What it printed, and the tool that it ran under;
  // its children print for themselves. REQUIRES: no spawn() meanwhile or afterwards.
  virtual std::string finish(double seconds) = 0;
};

}  // namespace kbx
