// SPDX-License-Identifier: Apache-2.0
// What a GPU says when a kernel fails, and which kernel it was: from the messages of CUDA, torch and Triton.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/verdict.h"

namespace kbx {

// The pattern of a message: CUDA's words in the first line, then what the runner knows about the kernels ("in kernel ..."; the
// launch of ... was refused: ...). Nothing where the words are none of the device's.
std::optional<Diagnosis> diagnose_device_fault(std::string_view message);

// Whether a fault of that pattern leaves a context that cannot be used any more.
bool breaks_context(std::string_view pattern);

// Adds to a `device_assert` the assertion that the device printed, with file, line and expression, if it is in `printed`.
void quote_assertion(Diagnosis& fault, std::string_view printed);

// A launch that the driver refused: its kernel did not run, and no later call says so.
struct RefusedLaunch {
  std::string kernel, error;
  int64_t grid[3] = {}, block[3] = {};
  int64_t shared_bytes = 0;  // dynamic
  int64_t count = 1;
};
Diagnosis diagnose_refused_launch(const RefusedLaunch& launch);

// A call that did not come back although it had launched `kernel` last. `waiting`: the runner was waiting for the device alone.
Diagnosis diagnose_endless_kernel(double seconds, std::string_view kernel, uint64_t launches, bool waiting);

}  // namespace kbx
