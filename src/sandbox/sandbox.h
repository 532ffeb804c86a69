// SPDX-License-Identifier: Apache-2.0
// Starting untrusted programs: namespaces by bubblewrap, then Landlock, seccomp, dropped capabilities and limits, which
// the started side applies to itself before it touches the candidate (runner/lockdown). docs/protocol.md names the layers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"

namespace kbx {

// Layers can be switched off one by one, for tests and for machines that lack one.
struct Layers {
  bool namespaces = true;
  bool landlock = true;
  bool seccomp = true;
  bool clean_environment = true;

  // "namespaces+landlock+seccomp", "landlock+seccomp", ..., "none".
  std::string level() const;
};

// What this machine offers. Probes once a process (starts bwrap with `true`).
Layers available_layers();

struct Limits {
  uint64_t memory_bytes = 4ull << 30;   // RLIMIT_DATA, and the bound of the watchdog on resident memory
  uint64_t file_bytes = 1ull << 30;     // RLIMIT_FSIZE
  uint64_t scratch_bytes = 1ull << 30;  // the tmpfs
  uint32_t open_files = 256;
};

struct Bind {
  std::string from, to;
  bool writable = false;
};

struct Launch {
  std::vector<std::string> argv;             // argv[0] is an absolute path inside the box
  std::vector<std::string> environment;      // "NAME=value"; nothing else is passed
  std::vector<Bind> binds;                   // beside /usr, /lib*, /proc, /dev, a scratch tmpfs at /tmp/w
  std::vector<int> descriptors;              // become 3, 4, 5, ... in the child, in this order
  int output = -1;                           // becomes 1 and 2; -1: /dev/null
  Limits limits;
  Layers layers;
  bool may_fork_namespaces = false;          // the zygote: keeps CAP_SYS_ADMIN and CAP_SETPCAP inside its user namespace
};

// A child that dies with the judge, also by kill -9 of it. Killed and reaped by the destructor. Not thread-safe.
class Process {
 public:
  struct Exit {
    int code = 0;    // exit status, where signal is 0
    int signal = 0;
  };
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;

  int pidfd() const { return pidfd_; }   // readable when the process has ended
  int pid() const { return pid_; }
  void kill();
  // Waits until it has ended. REQUIRES: called once.
  Exit wait();

 private:
  friend Result<Process> launch(const Launch&);
  Process(int pid, int pidfd) : pid_(pid), pidfd_(pidfd) {}
  int pid_ = -1, pidfd_ = -1;
};

// Starts the program. Error: what is missing and the remedy.
Result<Process> launch(const Launch& launch);

// The BPF program of the candidate's system call filter (libseccomp), to be installed by the runner. `may_exec`: GPU
// Triton needs exec for ptxas and gcc; native and interpreted candidates do not. Built once and cached.
const std::string& syscall_filter(bool may_exec);

}  // namespace kbx
