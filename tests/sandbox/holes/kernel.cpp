// SPDX-License-Identifier: Apache-2.0
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "hole.h"

namespace kbx::holes {
namespace {

// Whether the kernel looks at the system call of that number at all: with arguments that are all wrong it says so.
bool reaches_kernel(const std::string& number) {
  const long nothing = -1;
  syscall(std::atol(number.c_str()), nothing, nothing, nothing, nothing, nothing, nothing);
  return errno != EPERM && errno != ENOSYS;
}

bool mount_filesystem(const std::string&) {
  if (mount("tmpfs", ".", "tmpfs", 0, nullptr) != 0) return false;
  umount(".");
  return true;
}

bool new_user_namespace(const std::string&) { return unshare(CLONE_NEWUSER) == 0; }

// The same by clone, whose flags the filter has to look at.
bool clone_namespace(const std::string&) {
  const long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(0);
  return child > 0;
}

// And by clone3, whose flags no filter can see.
bool clone3_namespace(const std::string&) {
  clone_args arguments{};
  arguments.flags = CLONE_NEWUSER;
  arguments.exit_signal = SIGCHLD;
  const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(0);
  return child > 0;
}

// A keystroke into the terminal that is standard output.
bool type_into_terminal(const std::string&) {
  ioctl(1, TIOCSCTTY, 0);
  const char key = '\n';
  return ioctl(1, TIOCSTI, &key) == 0;
}

bool gain_privileges(const std::string&) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1; }

constexpr Hole kHoles[] = {{"reaches_kernel", reaches_kernel},         {"mount_filesystem", mount_filesystem},
                           {"new_user_namespace", new_user_namespace}, {"clone_namespace", clone_namespace},
                           {"clone3_namespace", clone3_namespace},     {"type_into_terminal", type_into_terminal},
                           {"gain_privileges", gain_privileges}};

}  // namespace

std::span<const Hole> kernel_holes() { return kHoles; }

}  // namespace kbx::holes
