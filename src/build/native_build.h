// SPDX-License-Identifier: Apache-2.0
// C++ and CUDA candidates to shared libraries: the compiler runs in the sandbox, results are cached by digest.
#pragma once

#include <string>
#include <variant>

#include "core/candidate.h"
#include "core/result.h"
#include "core/verdict.h"
#include "sandbox/sandbox.h"

namespace kbx {

struct Artifact {
  std::string path;  // of the .so, in the cache; read-only
  std::string log;   // compiler warnings, cut to what matters
  bool cached = false;
  double seconds = 0;
};

struct NativeBuildOptions {
  std::string arch = "sm_90";  // CUDA only
  double timeout_seconds = 120;
  Layers layers;
};

// REQUIRES: candidate.language is cpp or cuda. BuildFailed: the candidate's fault, reason = the first error lines.
// Error: ours (no compiler, cache not writable, no sandbox).
Result<std::variant<Artifact, BuildFailed>> build_native(const Candidate& candidate, const NativeBuildOptions& options);

}  // namespace kbx
