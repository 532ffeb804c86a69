// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "hole.h"

namespace kbx::holes {
namespace {

bool can_open(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

bool read_file(const std::string& path) { return can_open(path, O_RDONLY); }
bool create_file(const std::string& path) {
  const bool created = can_open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (created) unlink(path.c_str());
  return created;
}
bool delete_file(const std::string& path) { return unlink(path.c_str()) == 0; }
bool write_sysctl(const std::string&) { return can_open("/proc/sys/kernel/core_pattern", O_WRONLY); }

bool leave_file(const std::string& path) { return can_open(path, O_WRONLY | O_CREAT); }

// Whether the environment of another process holds the judge's secret.
bool find_in_environments(const std::string& secret) {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return false;
  bool found = false;
  const std::string own = std::to_string(getpid());
  while (const dirent* entry = readdir(processes)) {
    if (std::atoi(entry->d_name) == 0 || entry->d_name == own) continue;
    std::ifstream file("/proc/" + std::string(entry->d_name) + "/environ");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    found = found || text.find(secret) != std::string::npos;
  }
  closedir(processes);
  errno = ENOENT;
  return found;
}

// Descriptors beside the standard ones, and the one of the directory itself.
bool inherited_descriptor(const std::string&) {
  for (int fd = 3; fd < 1024; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) return true;
  return false;
}

constexpr Hole kHoles[] = {{"read_file", read_file},
                           {"create_file", create_file},
                           {"delete_file", delete_file},
                           {"leave_file", leave_file},
                           {"write_sysctl", write_sysctl},
                           {"find_in_environments", find_in_environments},
                           {"inherited_descriptor", inherited_descriptor}};

}  // namespace

std::span<const Hole> file_holes() { return kHoles; }

}  // namespace kbx::holes
