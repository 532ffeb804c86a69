// SPDX-License-Identifier: Apache-2.0
// What ran, as a runner reports it: library operators, kernels, memory accesses outside of buffers. Claims of the
// untrusted side; on the CPU there is nothing better (docs/protocol.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/verdict.h"
#include "diagnose/access_patterns.h"
#include "diagnose/device_faults.h"

namespace kbx {

struct Census {
  std::vector<std::string> operators;  // computing ATen operators, e.g. "aten.mm"
  std::vector<std::string> libraries;  // native: linked and dlopened
  std::vector<KernelReport> kernels;
  std::vector<GpuKernel> gpu_kernels;          // as the GPU ran them, longest first
  std::vector<std::string> own;                // Triton: kernels that the candidate launched, by name
  std::vector<RefusedLaunch> failed_launches;  // of the last call
  bool gpu_seen = false;                       // kernels on the GPU were recorded
  std::string why_unseen;                      // where they were not
  std::vector<BadAccess> accesses;
  int64_t launches = 0;                // kernels launched
  bool stores_reached_output = false;  // some kernel stored into a buffer that the judge compares
  std::string why_not_followed;        // compile pass: the exception that ended the call; empty if none did
};

// Tolerates anything: fields that are missing or of another type keep their defaults.
Census parse_census(const std::string& json);

// Interpreter rule of docs/verdicts.md: authored if no computing operator ran, delegated if no kernel's store reached
// an output, else mixed. Native code is authored unless it brought a computing library along.
Authorship authorship(Language language, const Census& census);

// Says of each of its GPU kernels whose it is.
void attribute(Language language, Census& census);

// The share of own kernels in the GPU time of own and library kernels; nothing where none of either was seen.
// REQUIRES: attribute().
std::optional<double> own_share(const Census& census);

// The rule for GPUs of docs/verdicts.md. REQUIRES: attribute().
Authorship authorship_on_gpu(Language language, const Census& census);

}  // namespace kbx
