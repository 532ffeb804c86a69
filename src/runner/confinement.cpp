// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement.h"

namespace kbx {

wire::Lockdown lockdown_for(const RunnerOptions& options, const Reach& reach, bool may_exec) {
  wire::Lockdown lockdown;
  lockdown.layers = wire::kCapabilities;
  if (options.layers.landlock) lockdown.layers |= wire::kLandlock;
  if (options.layers.seccomp) {
    lockdown.layers |= wire::kSeccomp;
    lockdown.filter = syscall_filter(may_exec);
  }
  lockdown.memory_bytes = options.limits.memory_bytes;
  lockdown.file_bytes = options.limits.file_bytes;
  lockdown.open_files = options.limits.open_files;
  // Counted within the box's user namespace; without one it would count all that the user runs.
  if (options.layers.namespaces) lockdown.processes = options.limits.processes;
  lockdown.readable = reach.readable;
  lockdown.writable = reach.writable;
  return lockdown;
}

std::vector<std::string> runner_environment() {
  return {"OMP_NUM_THREADS=1",
          "MKL_NUM_THREADS=1",
          "OPENBLAS_NUM_THREADS=1",
          "PYTHONDONTWRITEBYTECODE=1",
          "TRITON_CACHE_DIR={scratch}/triton",
          "TORCHINDUCTOR_CACHE_DIR={scratch}/inductor"};
}

std::vector<Bind> bind_all(const std::vector<std::string>& paths) {
  std::vector<Bind> binds;
  for (const std::string& path : paths) binds.push_back({path, path, false});
  return binds;
}

}  // namespace kbx
