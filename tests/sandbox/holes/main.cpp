// SPDX-License-Identifier: Apache-2.0
// kbx-holes NAME TARGET LAYERS MEMORY_BYTES FILE_BYTES OPEN_FILES [--zygote] [--readable P]... [--writable P]...
// The system call filter is descriptor 3, where LAYERS asks for one. With --fork the attempt is made by a forked child, with
// --zygote by one in namespaces of its own; its exit status is passed on.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hole.h"
#include "lockdown/lockdown.h"

namespace {

using namespace kbx::holes;

char error[256];

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "kbx-holes: %s\n", why);
  _exit(kNotLocked);
}

Attempt find(const char* name) {
  for (const auto holes : {file_holes(), process_holes(), kernel_holes(), network_holes(), resource_holes()})
    for (const Hole& hole : holes)
      if (std::strcmp(hole.name, name) == 0) return hole.attempt;
  return nullptr;
}

// As zygotes do: what returns is the child.
void become_child(bool own_namespaces) {
  const int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
  if (own_namespaces && kbx_unshare_pid(error, sizeof error) != 0) give_up(error);
  const pid_t child = fork();
  if (child == 0) {
    close(own);
    if (!own_namespaces) return;
    if (kbx_child_mounts("/tmp/w", 8 << 20, 8 << 20, error, sizeof error) != 0) give_up(error);
    if (chdir("/tmp/w") != 0) give_up("no scratch folder");
    return;
  }
  if (own_namespaces && kbx_restore_pid_ns(own, error, sizeof error) != 0) give_up(error);
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return kUsage;
  const Attempt attempt = find(argv[1]);
  if (attempt == nullptr) return kUsage;
  std::vector<const char*> readable, writable;
  bool forked = false, own_namespaces = false;
  for (int i = 7; i < argc; ++i) {
    if (std::strcmp(argv[i], "--fork") == 0)
      forked = true;
    else if (std::strcmp(argv[i], "--zygote") == 0)
      forked = own_namespaces = true;
    else if (std::strcmp(argv[i], "--readable") == 0)
      readable.push_back(argv[++i]);
    else if (std::strcmp(argv[i], "--writable") == 0)
      writable.push_back(argv[++i]);
  }
  readable.push_back(nullptr);
  writable.push_back(nullptr);
  std::vector<char> filter(32768);
  kbx_lockdown lockdown{};
  lockdown.readable = readable.data();
  lockdown.writable = writable.data();
  lockdown.layers = static_cast<uint32_t>(std::atoi(argv[3]));
  lockdown.memory_bytes = std::strtoull(argv[4], nullptr, 10);
  lockdown.file_bytes = std::strtoull(argv[5], nullptr, 10);
  lockdown.open_files = static_cast<uint32_t>(std::atoi(argv[6]));
  if (lockdown.layers & KBX_SECCOMP) {
    const ssize_t size = pread(3, filter.data(), filter.size(), 0);
    if (size <= 0) give_up("no filter");
    close(3);
    lockdown.filter = filter.data();
    lockdown.filter_bytes = static_cast<uint32_t>(size);
  }
  if (forked) become_child(own_namespaces);
  const bool limits = lockdown.memory_bytes != 0 || lockdown.file_bytes != 0 || lockdown.open_files != 0;
  if (lockdown.layers != 0 || limits) {
    const int in_force = kbx_apply_lockdown(&lockdown, error, sizeof error);
    if (in_force < 0) give_up(error);
    if ((lockdown.layers & ~static_cast<uint32_t>(in_force)) != 0) give_up("a layer is missing");
  }
  errno = 0;
  const bool open = attempt(argv[2]);
  std::printf("%s: %s\n", argv[1], open ? "open" : std::strerror(errno));
  std::fflush(stdout);
  _exit(open ? kOpen : kDenied);
}
