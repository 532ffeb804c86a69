// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <time.h>

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

std::string folder_of(int pid) { return "/proc/" + std::to_string(pid); }

// RssAnon + RssShmem of one process: without the pages of libraries, which all runners share.
uint64_t own_bytes(int pid) {
  std::ifstream status(folder_of(pid) + "/status");
  if (!status) return 0;
  uint64_t kib = 0, value = 0;
  for (std::string line; std::getline(status, line);)
    if (std::sscanf(line.c_str(), "RssAnon: %lu", &value) == 1 || std::sscanf(line.c_str(), "RssShmem: %lu", &value) == 1)
      kib += value;
  return std::max(kib * 1024, kLeastBytes);
}

double own_seconds(int pid) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

uint64_t own_switches(int pid) {
  uint64_t sum = 0, value = 0;
  std::error_code gone;
  for (auto task = fs::directory_iterator(folder_of(pid) + "/task", gone); !gone && task != fs::directory_iterator();
       task.increment(gone)) {
    std::ifstream status(task->path() / "status");
    for (std::string line; std::getline(status, line);)
      if (std::sscanf(line.c_str(), "nonvoluntary_ctxt_switches: %lu", &value) == 1) sum += value;
  }
  return sum;
}

// `own` of a process and of all below it, added up.
template <typename Number, typename Own>
Number tree_sum(int pid, const Own& own) {
  Number sum = own(pid);
  std::error_code gone;
  for (auto task = fs::directory_iterator(folder_of(pid) + "/task", gone); !gone && task != fs::directory_iterator();
       task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (int child; children >> child;) sum += tree_sum<Number>(child, own);
  }
  return sum;
}

// -1 if it has ended.
int pid_behind(int pidfd) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(pidfd));
  int pid = -1;
  for (std::string line; std::getline(info, line);) std::sscanf(line.c_str(), "Pid: %d", &pid);
  return pid;
}

}  // namespace

uint64_t resident_bytes(int pidfd) {
  const int pid = pid_behind(pidfd);
  return pid > 0 ? tree_sum<uint64_t>(pid, own_bytes) : 0;
}

double cpu_seconds(int pidfd) {
  const int pid = pid_behind(pidfd);
  return pid > 0 ? tree_sum<double>(pid, own_seconds) : 0;
}

uint64_t involuntary_switches(int pidfd) {
  const int pid = pid_behind(pidfd);
  return pid > 0 ? tree_sum<uint64_t>(pid, own_switches) : 0;
}

void keep_on_core(int pidfd, int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(core), &one);
  const auto keep = [&one](int pid) { return sched_setaffinity(pid, sizeof one, &one); };
  if (const int pid = pid_behind(pidfd); pid > 0) tree_sum<int>(pid, keep);
}

uint64_t Process::resident_bytes() const { return pid_ > 0 && !exit_ ? tree_sum<uint64_t>(pid_, own_bytes) : 0; }

}  // namespace kbx
