// SPDX-License-Identifier: Apache-2.0
// kbx-confine --layers N [--readable P]... [--writable P]... [--filter FD] [--memory N] [--file N] [--files N] [--processes N]
//   -- PROGRAM ARGUMENT...
// Applies the lockdown to itself and becomes PROGRAM. Exit status 126: could not, with the reason on standard error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lockdown/lockdown.h"

namespace {

constexpr int kMaxPaths = 256, kMaxFilterBytes = 32768, kExitNotConfined = 126;
const char* readable[kMaxPaths + 1];
const char* writable[kMaxPaths + 1];
char filter[kMaxFilterBytes];

[[noreturn]] void give_up(const char* why) {
  fprintf(stderr, "kbx-confine: %s\n", why);
  _exit(kExitNotConfined);
}

void append(const char** list, const char* path) {
  int n = 0;
  while (list[n] != nullptr) ++n;
  if (n == kMaxPaths) give_up("too many paths");
  list[n] = path;
}

uint32_t read_filter(int fd) {
  const ssize_t size = pread(fd, filter, sizeof filter, 0);
  if (size <= 0) give_up("no filter");
  close(fd);
  return static_cast<uint32_t>(size);
}

}  // namespace

int main(int argc, char** argv) {
  kbx_lockdown lockdown{};
  lockdown.readable = readable;
  lockdown.writable = writable;
  lockdown.filter = filter;
  int i = 1;
  for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
    const char *name = argv[i], *value = argv[i + 1];
    const unsigned long long number = strtoull(value, nullptr, 10);
    if (strcmp(name, "--readable") == 0)
      append(readable, value);
    else if (strcmp(name, "--writable") == 0)
      append(writable, value);
    else if (strcmp(name, "--layers") == 0)
      lockdown.layers = static_cast<uint32_t>(number);
    else if (strcmp(name, "--filter") == 0)
      lockdown.filter_bytes = read_filter(static_cast<int>(number));
    else if (strcmp(name, "--memory") == 0)
      lockdown.memory_bytes = number;
    else if (strcmp(name, "--file") == 0)
      lockdown.file_bytes = number;
    else if (strcmp(name, "--files") == 0)
      lockdown.open_files = static_cast<uint32_t>(number);
    else if (strcmp(name, "--processes") == 0)
      lockdown.processes = static_cast<uint32_t>(number);
    else
      give_up("unknown option");
  }
  if (i + 1 >= argc) give_up("no program");
  char error[256];
  const int in_force = kbx_apply_lockdown(&lockdown, error, sizeof error);
  if (in_force < 0) give_up(error);
  if ((lockdown.layers & ~static_cast<uint32_t>(in_force)) != 0) give_up("this kernel has no Landlock");
  execv(argv[i + 1], argv + i + 1);
  perror(argv[i + 1]);
  return kExitNotConfined;
}
