// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbx::runner {

// While it lives, a profiler that waits to be told so (ncu --profile-from-start off) counts what the GPU does. Does nothing where
// CUDA's driver is not loaded.
class Profiled {
 public:
  explicit Profiled(bool wanted);
  ~Profiled();
  Profiled(const Profiled&) = delete;
  Profiled& operator=(const Profiled&) = delete;

 private:
  bool wanted_;
};

}  // namespace kbx::runner
