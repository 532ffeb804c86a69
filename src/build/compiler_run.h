// SPDX-License-Identifier: Apache-2.0
// One run of a compiler in the sandbox, bounded in time, memory and output.
#pragma once

#include <string>

#include "core/result.h"
#include "sandbox/sandbox.h"

namespace kbx {

struct CompilerRun {
  Process::Exit exit;
  bool timed_out = false, out_of_memory = false;
  std::string output;  // standard output and error, the first 256 KiB
};

// `launch.output` is set here. Error: the sandbox could not be made.
Result<CompilerRun> run_compiler(Launch launch, double timeout_seconds);

}  // namespace kbx
