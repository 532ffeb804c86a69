// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lockdown/lockdown.h"
#include "lockdown/message.h"

using kbx_lockdown_internal::failed;

namespace {

bool mount_tmpfs(const char* target, uint64_t bytes) {
  char options[96];
  // Inodes cost kernel memory that the size does not count.
  snprintf(options, sizeof options, "size=%llu,nr_inodes=65536,mode=0700", static_cast<unsigned long long>(bytes));
  return mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

}  // namespace

extern "C" int kbx_unshare_pid(char* error, size_t error_bytes) {
  return unshare(CLONE_NEWPID) == 0 ? 0 : failed(error, error_bytes, "new pid namespace");
}

extern "C" int kbx_restore_pid_ns(int fd, char* error, size_t error_bytes) {
  return setns(fd, CLONE_NEWPID) == 0 ? 0 : failed(error, error_bytes, "return to the own pid namespace");
}

extern "C" int kbx_child_mounts(const char* scratch, uint64_t scratch_bytes, uint64_t shm_bytes, char* error,
                                size_t error_bytes) {
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0) return failed(error, error_bytes, "new mount and ipc namespaces");
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed(error, error_bytes, "private mounts");
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return failed(error, error_bytes, "mount /proc");
  // Where the judge is real root its uid is mapped to itself, and owns these files whatever its capabilities.
  if (mount("/proc/sys", "/proc/sys", nullptr, MS_BIND, nullptr) != 0 ||
      mount(nullptr, "/proc/sys", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return failed(error, error_bytes, "read-only /proc/sys");
  if (!mount_tmpfs(scratch, scratch_bytes)) return failed(error, error_bytes, "mount the scratch folder");
  if (!mount_tmpfs("/dev/shm", shm_bytes)) return failed(error, error_bytes, "mount /dev/shm");
  return 0;
}
