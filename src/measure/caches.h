// SPDX-License-Identifier: Apache-2.0
// Empties the caches between writing the inputs of a timed call and the call.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace kbx {

// Use from one thread.
class CacheFlush {
 public:
  // Memory to displace the caches with: twice the L2 of a GPU; on the CPU its last-level cache, at most 32 MiB.
  explicit CacheFlush(at::Device device);
  // Reads and writes all of it, and on a GPU resets lines that were marked as persisting (cuCtxResetPersistingL2Cache). On a GPU
  // it does not wait.
  void operator()();
  int64_t bytes() const { return memory_.numel(); }

 private:
  at::Tensor memory_;
};

}  // namespace kbx
