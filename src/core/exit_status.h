// SPDX-License-Identifier: Apache-2.0
// What `kbx` and `kbx-judge` exit with; documented in docs/verdicts.md.
#pragma once

#include "core/verdict.h"

namespace kbx {

enum ExitStatus : int {
  kExitCorrect = 0,     // the candidate is correct; for other verbs: done
  kExitNotCorrect = 1,  // judged, and wrong or dishonest
  kExitUsage = 2,       // usage, or input that cannot be used
  kExitNotBuilt = 3,    // unreadable, build_failed
  kExitDied = 4,        // crashed, timed_out, out_of_memory
  kExitNotJudged = 5,   // the reason is on our side, and known
  kExitTrouble = 6,     // trouble of our own: files, processes, installation
  kExitInterrupted = 130,
};

ExitStatus exit_status(const Outcome& outcome);

}  // namespace kbx
