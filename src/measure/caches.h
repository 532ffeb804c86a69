// SPDX-License-Identifier: Apache-2.0
// Empties the caches between writing the inputs of a timed call and the call.
//
// On a GPU, L2 holds nothing of the inputs afterwards, and only clean lines: the call pays for reading its inputs, not for
// writing back what was there before. On the CPU it reaches what the cores share. The contents were written on the judge's core,
// which took them out of the private caches of the runner's core; the flush then displaces them from the judge's own, and from a
// last-level cache of up to 32 MiB. From a larger one (a server's, which many tenants share) it does not: there "cold" means out
// of the private caches, and small inputs come from the last level. Both sides meet the same; code, stack and heap of a runner
// stay where they are.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

namespace kbx {

// Use from one thread.
class CacheFlush {
 public:
  // Memory to displace the caches with: twice the L2 of a GPU; on the CPU its last-level cache, at most 32 MiB. A cache whose
  // size is not told counts as 64 MiB and 32 MiB. REQUIRES: the device is in use by ATen in this process.
  explicit CacheFlush(at::Device device);
  // Reads and writes all of it, and on a GPU resets lines that were marked as persisting (cuCtxResetPersistingL2Cache) before. On
  // a GPU it does not wait: a stream's synchronisation does.
  void operator()();
  int64_t bytes() const { return memory_.numel(); }
  const at::Tensor& memory() const { return memory_; }

 private:
  at::Tensor memory_;  // bytes
  at::Tensor sum_;     // GPU
  int (*reset_persisting_)() = nullptr;
};

// Size of the largest cache for data below a folder like /sys/devices/system/cpu/cpu0/cache; 0: none is told.
int64_t last_level_bytes(const std::filesystem::path& caches);

}  // namespace kbx
