// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "hole.h"

namespace kbx::holes {
namespace {

pid_t pid_of(const std::string& target) { return static_cast<pid_t>(std::atoi(target.c_str())); }

bool open_memory(const std::string& target) {
  const int fd = open(("/proc/" + target + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  return fd >= 0;
}

bool read_environment(const std::string& target) {
  return open(("/proc/" + target + "/environ").c_str(), O_RDONLY | O_CLOEXEC) >= 0;
}

bool trace(const std::string& target) {
  if (ptrace(PTRACE_SEIZE, pid_of(target), nullptr, nullptr) != 0) return false;
  ptrace(PTRACE_DETACH, pid_of(target), nullptr, nullptr);
  return true;
}

// An address that is not mapped: EFAULT says that only the address was wrong.
bool read_memory(const std::string& target) {
  char byte;
  iovec local{&byte, 1}, remote{nullptr, 1};
  return process_vm_readv(pid_of(target), &local, 1, &remote, 1, 0) == 1 || errno == EFAULT;
}

bool signal_process(const std::string& target) { return kill(pid_of(target), 0) == 0; }

bool limit_process(const std::string& target) {
  rlimit limit;
  return prlimit(pid_of(target), RLIMIT_CORE, nullptr, &limit) == 0 && prlimit(pid_of(target), RLIMIT_CORE, &limit, nullptr) == 0;
}

bool fork_process(const std::string&) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, nullptr, 0);
  return child > 0;
}

bool execute(const std::string&) {
  // Replaces this process: its status tells.
  execl("/bin/sh", "sh", "-c", ("exit " + std::to_string(kOpen)).c_str(), nullptr);
  return false;
}

// So many processes, which stay. Bounded: an endless one would hit whoever runs the test as root, whom no limit binds.
bool fork_many(const std::string& count) {
  for (int i = std::atoi(count.c_str()); i > 0; --i) {
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0)
      for (;;) pause();
  }
  if (write(1, "r", 1) != 1) return false;
  for (;;) pause();
}

constexpr Hole kHoles[] = {{"open_memory", open_memory},
                           {"read_environment", read_environment},
                           {"trace", trace},
                           {"read_memory", read_memory},
                           {"signal_process", signal_process},
                           {"limit_process", limit_process},
                           {"fork_process", fork_process},
                           {"execute", execute},
                           {"fork_many", fork_many}};

}  // namespace

std::span<const Hole> process_holes() { return kHoles; }

}  // namespace kbx::holes
