// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hole.h"

namespace kbx::holes {
namespace {

constexpr size_t kMiB = 1 << 20;

size_t mebibytes(const std::string& text) { return std::strtoul(text.c_str(), nullptr, 10) * kMiB; }

bool allocate(const std::string& size) {
  return mmap(nullptr, mebibytes(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

// Memory that RLIMIT_DATA does not count. Tells that it is there, and stays.
bool share_and_stay(const std::string& size) {
  void* memory = mmap(nullptr, mebibytes(size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  std::memset(memory, 1, mebibytes(size));
  if (write(1, "r", 1) != 1) return false;
  for (;;) pause();
}

bool large_file(const std::string& size) {
  signal(SIGXFSZ, SIG_IGN);
  const int fd = open("large", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool done = fd >= 0 && ftruncate(fd, static_cast<off_t>(mebibytes(size))) == 0;
  unlink("large");
  return done;
}

bool many_files(const std::string& size) {
  const std::vector<char> block(kMiB, 'x');
  bool done = true;
  const size_t count = mebibytes(size) / kMiB;
  for (size_t i = 0; i < count && done; ++i) {
    const int fd = open(("many" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    done = fd >= 0 && write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size());
    if (fd >= 0) close(fd);
  }
  for (size_t i = 0; i < count; ++i) unlink(("many" + std::to_string(i)).c_str());
  return done;
}

bool anonymous_file(const std::string&) { return memfd_create("hole", 0) >= 0; }

bool many_descriptors(const std::string& count) {
  bool done = true;
  for (int i = std::atoi(count.c_str()); i > 0 && done; --i) done = dup(1) >= 0;
  return done;
}

// For tests of killing: tells that it runs, and stays.
bool stay(const std::string&) {
  if (write(3, "r", 1) != 1) return false;
  for (;;) pause();
}

constexpr Hole kHoles[] = {{"allocate", allocate},
                           {"share_and_stay", share_and_stay},
                           {"large_file", large_file},
                           {"many_files", many_files},
                           {"anonymous_file", anonymous_file},
                           {"many_descriptors", many_descriptors},
                           {"stay", stay}};

}  // namespace

std::span<const Hole> resource_holes() { return kHoles; }

}  // namespace kbx::holes
