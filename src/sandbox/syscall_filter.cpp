// SPDX-License-Identifier: Apache-2.0
// The rules of the candidate's system call filter. It denies what no kernel needs; docs/sandbox.md gives the reasons.
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/check.h"
#include "sandbox/sandbox.h"

namespace kbx {
namespace {

using Filter = std::remove_pointer_t<scmp_filter_ctx>;

// Denied with EPERM, whatever their arguments.
constexpr const char* kDenied[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "move_pages", "migrate_pages",
    "setpriority", "ioprio_set",
    // parts of the kernel with a history
    "userfaultfd", "bpf", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register", "vmsplice", "memfd_secret",
    "modify_ldt", "fanotify_init", "keyctl", "add_key", "request_key",
    // mounts and namespaces
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "unshare", "setns",
    // the machine
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct",
    "quotactl", "iopl", "ioperm", "clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname", "setdomainname",
    "syslog", "vhangup",
    // files by other ways than their path
    "open_by_handle_at", "name_to_handle_at", "mknod", "mknodat",
    // memory and messages that outlive their process
    "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open",
    "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"};

constexpr uint64_t kNamespaceFlags[] = {CLONE_NEWNS,  CLONE_NEWUTS, CLONE_NEWIPC,   CLONE_NEWUSER,
                                        CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWCGROUP};

// System calls younger than this list (Linux 6.5) do not exist for candidates; 512 is where x32's begin.
constexpr int kFirstUnknown = 451, kEndUnknown = 512;

class Rules {
 public:
  explicit Rules() : filter_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {
    KBX_CHECK(filter_ != nullptr);
    // A binary tree instead of one comparison after another.
    KBX_CHECK_EQ(seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), 0);
  }

  template <typename... Conditions>
  void deny(const char* name, int error, Conditions... conditions) {
    const int number = seccomp_syscall_resolve_name(name);
    // Negative: not one of this architecture's system calls.
    if (number >= 0) deny(number, error, conditions...);
  }

  template <typename... Conditions>
  void deny(int number, int error, Conditions... conditions) {
    const std::array<scmp_arg_cmp, sizeof...(conditions)> list{conditions...};
    KBX_CHECK_EQ(seccomp_rule_add_array(filter_.get(), SCMP_ACT_ERRNO(error), number, list.size(), list.data()), 0);
  }

  std::string compiled() const {
    const int fd = memfd_create("kbx-filter", MFD_CLOEXEC);
    KBX_CHECK(fd >= 0);
    KBX_CHECK_EQ(seccomp_export_bpf(filter_.get(), fd), 0);
    std::string program(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
    KBX_CHECK_EQ(pread(fd, program.data(), program.size(), 0), static_cast<ssize_t>(program.size()));
    close(fd);
    return program;
  }

 private:
  std::unique_ptr<Filter, decltype(&seccomp_release)> filter_;
};

std::string build_filter(bool may_exec) {
  Rules rules;
  for (const char* name : kDenied) rules.deny(name, EPERM);
  for (int number = kFirstUnknown; number < kEndUnknown; ++number) rules.deny(number, ENOSYS);

  // Its flags are in memory, where a filter cannot see them; libc falls back to clone.
  rules.deny("clone3", ENOSYS);
  for (uint64_t flag : kNamespaceFlags) rules.deny("clone", EPERM, SCMP_A0_64(SCMP_CMP_MASKED_EQ, flag, flag));

  // Sockets reach nobody: only pairs are connected, and a datagram socket, which could address others, cannot be made.
  // CUDA's start wants one of AF_UNIX that it binds and does not connect.
  rules.deny("socket", EAFNOSUPPORT, SCMP_A0_32(SCMP_CMP_NE, AF_UNIX));
  rules.deny("socketpair", EAFNOSUPPORT, SCMP_A0_32(SCMP_CMP_NE, AF_UNIX));
  for (unsigned type : {SOCK_DGRAM, SOCK_RAW})
    for (const char* name : {"socket", "socketpair"}) rules.deny(name, EAFNOSUPPORT, SCMP_A1_32(SCMP_CMP_MASKED_EQ, 0xfu, type));
  rules.deny("connect", EPERM);

  // Keystrokes into the judge's terminal.
  for (unsigned request : {TIOCSTI, TIOCLINUX}) rules.deny("ioctl", EPERM, SCMP_A1_32(SCMP_CMP_EQ, request));
  // The limits of another process.
  rules.deny("prlimit64", EPERM, SCMP_A0_32(SCMP_CMP_NE, 0u), SCMP_A2_64(SCMP_CMP_NE, 0u));

  if (!may_exec) {
    for (const char* name : {"execve", "execveat", "fork", "vfork"}) rules.deny(name, EPERM);
    rules.deny("clone", EPERM, SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0u));
    // Memory that neither RLIMIT_DATA nor the watchdog counts.
    rules.deny("memfd_create", ENOSYS);
  }
  return rules.compiled();
}

}  // namespace

const std::string& syscall_filter(bool may_exec) {
  static const std::string with_exec = build_filter(true), without_exec = build_filter(false);
  return may_exec ? with_exec : without_exec;
}

}  // namespace kbx
