// SPDX-License-Identifier: Apache-2.0
#include "lockdown/lockdown.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lockdown/message.h"

using kbx_lockdown_internal::failed;

namespace {

// Landlock's user interface (include/uapi/linux/landlock.h of Linux 6.12), stated here because the headers of the
// distributions are older than their kernels.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kCreateRulesetVersion = 1;
constexpr int kRulePathBeneath = 1;
enum Access : uint64_t {
  kExecute = 1 << 0,
  kWriteFile = 1 << 1,
  kReadFile = 1 << 2,
  kReadDir = 1 << 3,
  kRefer = 1 << 13,
  kTruncate = 1 << 14,
  kIoctlDevice = 1 << 15,
};
constexpr uint64_t kFirstRights = (1 << 13) - 1;  // of ABI 1
struct RulesetAttr {
  uint64_t handled_fs, handled_net, scoped;
};
struct [[gnu::packed]] PathBeneathAttr {
  uint64_t allowed;
  int32_t parent_fd;
};

uint64_t filesystem_rights(long abi) {
  uint64_t rights = kFirstRights;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDevice;
  return rights;
}

size_t ruleset_size(long abi) { return abi >= 6 ? 24 : abi >= 4 ? 16 : 8; }

bool allow(int ruleset, const char* path, uint64_t rights) {
  const int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == EACCES || errno == ENOTDIR;
  struct stat info;
  bool ok = fstat(fd, &info) == 0;
  if (ok && !S_ISDIR(info.st_mode)) rights &= kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;
  const PathBeneathAttr rule{rights, fd};
  ok = ok && syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0) == 0;
  // procfs makes new inodes for what nobody holds open, and a rule belongs to an inode.
  if (ok && strncmp(path, "/proc/", 6) == 0) return true;
  const int saved = errno;
  close(fd);
  errno = saved;
  return ok;
}

// The bits in force: 0 where the kernel has no Landlock; -1 on failure.
int apply_landlock(const kbx_lockdown& lockdown) {
  const long abi = syscall(kCreateRuleset, nullptr, 0, kCreateRulesetVersion);
  if (abi < 1) return 0;
  const uint64_t all = filesystem_rights(abi);
  const RulesetAttr attributes{all, 0x3 /* TCP bind and connect */, 0x3 /* abstract sockets, signals */};
  const int ruleset = static_cast<int>(syscall(kCreateRuleset, &attributes, ruleset_size(abi), 0));
  if (ruleset < 0) return -1;
  bool ok = true;
  for (auto path = lockdown.readable; ok && path != nullptr && *path != nullptr; ++path)
    ok = allow(ruleset, *path, kExecute | kReadFile | kReadDir);
  for (auto path = lockdown.writable; ok && path != nullptr && *path != nullptr; ++path) ok = allow(ruleset, *path, all);
  ok = ok && syscall(kRestrictSelf, ruleset, 0) == 0;
  const int saved = errno;
  close(ruleset);
  errno = saved;
  if (!ok) return -1;
  return KBX_LANDLOCK | (abi >= 6 ? KBX_SCOPED : 0);
}

bool drop_capabilities() {
  // The bounding set can only be emptied by who holds CAP_SETPCAP; for others no_new_privs keeps exec from using it.
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) return false;
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

bool install_filter(const void* filter, uint32_t bytes) {
  const sock_fprog program{static_cast<unsigned short>(bytes / sizeof(sock_filter)),
                           static_cast<sock_filter*>(const_cast<void*>(filter))};
  // Kernels before 5.16 would otherwise slow the process by speculation mitigations, and so distort what is timed.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

// Lowers the limit to `value`, or leaves what is lower already.
bool limit(__rlimit_resource resource, uint64_t value) {
  rlimit now;
  if (getrlimit(resource, &now) != 0) return false;
  if (value < now.rlim_max) now.rlim_max = value;
  now.rlim_cur = now.rlim_max;
  return setrlimit(resource, &now) == 0;
}

bool set_limits(const kbx_lockdown& lockdown) {
  return limit(RLIMIT_CORE, 0) && (lockdown.memory_bytes == 0 || limit(RLIMIT_DATA, lockdown.memory_bytes)) &&
         (lockdown.file_bytes == 0 || limit(RLIMIT_FSIZE, lockdown.file_bytes)) &&
         (lockdown.open_files == 0 || limit(RLIMIT_NOFILE, lockdown.open_files)) &&
         (lockdown.processes == 0 || limit(RLIMIT_NPROC, lockdown.processes));
}

// Landlock and the filter bind the calling thread and what it starts: another thread would stay free.
bool single_threaded() {
  struct stat tasks;
  if (stat("/proc/self/task", &tasks) != 0) return false;
  errno = EBUSY;
  return tasks.st_nlink == 3;
}

}  // namespace

extern "C" int kbx_apply_lockdown(const kbx_lockdown* lockdown, char* error, size_t error_bytes) {
  int in_force = 0;
  if (lockdown->layers != 0 && !single_threaded()) return failed(error, error_bytes, "lockdown of a process with several threads");
  if (!set_limits(*lockdown)) return failed(error, error_bytes, "resource limits");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed(error, error_bytes, "no_new_privs");
  if (lockdown->layers & KBX_LANDLOCK) {
    const int landlock = apply_landlock(*lockdown);
    if (landlock < 0) return failed(error, error_bytes, "Landlock");
    in_force |= landlock;
  }
  if (lockdown->layers & KBX_CAPABILITIES) {
    if (!drop_capabilities()) return failed(error, error_bytes, "dropping capabilities");
    in_force |= KBX_CAPABILITIES;
  }
  if (lockdown->layers & KBX_SECCOMP) {
    if (!install_filter(lockdown->filter, lockdown->filter_bytes)) return failed(error, error_bytes, "system call filter");
    in_force |= KBX_SECCOMP;
  }
  return in_force;
}
