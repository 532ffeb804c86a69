// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sandbox/sandbox.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

// What a process counts for at least, so that many small ones reach the bound too: RLIMIT_NPROC does not bind root.
constexpr uint64_t kLeastBytes = 8 << 20;

// RssAnon + RssShmem of one process: without the pages of libraries, which all runners share.
uint64_t own_bytes(const std::string& folder) {
  std::ifstream status(folder + "/status");
  if (!status) return 0;
  uint64_t kib = 0, value = 0;
  for (std::string line; std::getline(status, line);)
    if (std::sscanf(line.c_str(), "RssAnon: %lu", &value) == 1 || std::sscanf(line.c_str(), "RssShmem: %lu", &value) == 1)
      kib += value;
  return std::max(kib * 1024, kLeastBytes);
}

uint64_t tree_bytes(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  uint64_t bytes = own_bytes(folder);
  std::error_code gone;
  for (auto task = fs::directory_iterator(folder + "/task", gone); !gone && task != fs::directory_iterator();
       task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (int child; children >> child;) bytes += tree_bytes(child);
  }
  return bytes;
}

}  // namespace

uint64_t resident_bytes(int pidfd) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(pidfd));
  int pid = -1;
  for (std::string line; std::getline(info, line);) std::sscanf(line.c_str(), "Pid: %d", &pid);
  return pid > 0 ? tree_bytes(pid) : 0;
}

uint64_t Process::resident_bytes() const { return pid_ > 0 && !exit_ ? tree_bytes(pid_) : 0; }

}  // namespace kbx
