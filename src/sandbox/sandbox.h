// SPDX-License-Identifier: Apache-2.0
// Starting untrusted programs: namespaces by bubblewrap, then Landlock, seccomp, dropped capabilities and limits, which
// the started side applies to itself before it touches the candidate (runner/lockdown). docs/sandbox.md says what each closes.
#pragma once

#include <cstdint>
#include <optional>
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

// What this machine offers. Probes once a process (starts bwrap with `true`). Safe from any thread.
Layers available_layers();
// Why there are no namespaces, and the remedy; nothing where there are.
std::optional<Error> namespaces_problem();

struct Limits {
  uint64_t memory_bytes = 4ull << 30;   // RLIMIT_DATA, and the bound of the watchdog on resident memory
  uint64_t file_bytes = 1ull << 30;     // RLIMIT_FSIZE
  uint64_t scratch_bytes = 1ull << 30;  // the tmpfs
  uint32_t open_files = 256;
  uint32_t processes = 256;  // RLIMIT_NPROC, threads included; binds ordinary users inside a user namespace
};

struct Bind {
  std::string from, to;
  bool writable = false;
};

// `{scratch}` in argv and environment stands for the scratch folder as the program sees it. HOME, TMPDIR, USER, LANG and PATH are
// set unless `environment` sets them; the working folder is the scratch folder. Without namespaces nothing is bound: the program
// sees `from`, so portable callers give the same path twice.
struct Launch {
  std::vector<std::string> argv;         // argv[0] is an absolute path inside the box
  std::vector<std::string> environment;  // "NAME=value"; nothing else is passed
  std::vector<Bind> binds;               // beside /usr, /lib*, /proc, /dev, a scratch tmpfs at /tmp/w
  std::vector<int> descriptors;          // become 3, 4, 5, ... in the child, in this order
  int output = -1;                       // becomes 1 and 2; -1: /dev/null
  Limits limits;                         // applied with `confine`; a runner gets them by message
  Layers layers;
  bool confine = false;              // lock the program down before it starts: for those that do not do it themselves
  bool gpu = false;                  // the NVIDIA devices are there
  bool may_fork_namespaces = false;  // the zygote: keeps CAP_SYS_ADMIN and CAP_SETPCAP inside its user namespace
};

// The paths that a program in a box needs: what its Landlock rules allow.
struct Reach {
  std::vector<std::string> readable, writable;
};

// A child that dies with the judge, also by kill -9 of it. Killed and reaped by the destructor. Not thread-safe.
class Process {
 public:
  struct Exit {
    int code = 0;  // exit status, where signal is 0
    int signal = 0;
  };
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;

  int pidfd() const { return pidfd_; }  // readable when the process has ended
  int pid() const { return pid_; }
  // Ends it and everything that it started (without namespaces: what stayed in its session). Returns when that is dead.
  void kill();
  // Waits until it has ended. In a box an exit status above 128 reads as the signal that shells mean by it.
  Exit wait();
  // Private memory of it and its descendants, for a watchdog; 0 when it has ended. Each counts for at least 8 MiB, which bounds
  // their number too.
  uint64_t resident_bytes() const;
  // As the program sees it: /tmp/w in a box; without namespaces a folder of its own, removed by the destructor.
  const std::string& scratch() const { return scratch_; }
  const Reach& reach() const { return reach_; }

 private:
  friend Result<Process> launch(const Launch&);
  Process() = default;

  int pid_ = -1, pidfd_ = -1;
  int box_pidfd_ = -1;  // the first process inside the pid namespace; -1 without
  std::optional<Exit> exit_;
  std::string scratch_, owned_folder_;
  Reach reach_;
};

// Of the process behind `pidfd` and its descendants, for processes that others started (a zygote's children).
uint64_t resident_bytes(int pidfd);
// Processor time of the process behind `pidfd` and of its living descendants; 0 when it has ended.
double cpu_seconds(int pidfd);

// How often the kernel took a core away from one of their threads; 0 when it has ended.
uint64_t involuntary_switches(int pidfd);

// From now on their first threads, and what these start, run on that core alone. What the kernel refuses stays as it is.
void keep_on_core(int pidfd, int core);

// Starts the program. Safe from any thread. Error: what is missing and the remedy.
Result<Process> launch(const Launch& launch);

// The BPF program of the candidate's system call filter (libseccomp), to be installed by the runner. `may_exec`: GPU
// Triton needs exec for ptxas and gcc; native and interpreted candidates do not. Built once and cached. Safe from any thread.
const std::string& syscall_filter(bool may_exec);

}  // namespace kbx
