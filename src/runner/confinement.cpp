// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement.h"

#include <cstdlib>
#include <sstream>

namespace kbx {
std::string visible_device(int device, const char* own) {
  if (device < 0) return "";
  if (own == nullptr) return std::to_string(device);
  std::istringstream visible(own);
  std::string name;
  for (int i = 0; std::getline(visible, name, ','); ++i) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.empty() || name.front() == '-') break;  // CUDA sees nothing behind an entry that names no device
    if (i == device) return name;
  }
  return "";
}

wire::Lockdown lockdown_for(const RunnerOptions& options, const Reach& reach, bool may_exec) {
  wire::Lockdown lockdown;
  const bool trusted = !options.wrapper.empty() && !options.layers.landlock && !options.layers.seccomp;
  lockdown.layers = trusted ? 0u : uint32_t{wire::kCapabilities};
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

std::vector<std::string> runner_environment(const RunnerOptions& options) {
  const std::string threads = std::to_string(options.threads);
  std::vector<std::string> environment{
      "OMP_NUM_THREADS=" + threads,
      "MKL_NUM_THREADS=" + threads,
      "OPENBLAS_NUM_THREADS=" + threads,
      "PYTHONDONTWRITEBYTECODE=1",
      "TRITON_CACHE_DIR={scratch}/triton",
      "TORCHINDUCTOR_CACHE_DIR={scratch}/inductor",
      "CUDA_CACHE_PATH={scratch}/cuda",
      "CUDA_VISIBLE_DEVICES=" + visible_device(options.device, std::getenv("CUDA_VISIBLE_DEVICES"))};
  if (!options.wrapper.empty()) {
    // An allocation for each tensor, so that a tool knows where it ends.
    environment.emplace_back("PYTORCH_NO_CUDA_MEMORY_CACHING=1");
    // What the judge writes through its own mapping, a tool in the runner does not see.
    environment.emplace_back("KBX_INITIALISE_SEGMENTS=1");
  }
  return environment;
}

std::vector<Bind> bind_all(const std::vector<std::string>& paths) {
  std::vector<Bind> binds;
  for (const std::string& path : paths) binds.push_back({path, path, false});
  return binds;
}

}  // namespace kbx
