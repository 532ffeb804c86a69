// SPDX-License-Identifier: Apache-2.0
#include "build/compiler_run.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace kbx {
namespace {

constexpr size_t kMaxOutput = 256 << 10;
constexpr int kWatchMilliseconds = 50;
constexpr int kExitNotConfined = 126;

// Reads what is there. False at the end of the output.
bool drain(int fd, std::string& output) {
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = read(fd, chunk.data(), chunk.size());
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (output.size() < kMaxOutput) output.append(chunk.data(), std::min(static_cast<size_t>(n), kMaxOutput - output.size()));
  }
}

}  // namespace

Result<CompilerRun> run_compiler(Launch launch, double timeout_seconds) {
  using Clock = std::chrono::steady_clock;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{"cannot make a pipe", "close some programs"};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  launch.output = ends[1];
  Result<Process> process = kbx::launch(launch);
  close(ends[1]);
  if (!process.ok()) {
    close(ends[0]);
    return process.error();
  }
  CompilerRun run;
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds);
  bool ended = false, more = true;
  while (!ended) {
    // A closed pipe would make poll return at once, for ever.
    std::array<pollfd, 2> events{pollfd{process->pidfd(), POLLIN, 0}, pollfd{more ? ends[0] : -1, POLLIN, 0}};
    poll(events.data(), events.size(), kWatchMilliseconds);
    more = more && drain(ends[0], run.output);
    ended = (events[0].revents & POLLIN) != 0;
    run.timed_out = !ended && Clock::now() > deadline;
    run.out_of_memory = !ended && process->resident_bytes() > launch.limits.memory_bytes;
    if (run.timed_out || run.out_of_memory) {
      process->kill();
      ended = true;
    }
  }
  run.exit = process->wait();
  drain(ends[0], run.output);
  close(ends[0]);
  if (run.output.starts_with("bwrap: ") || (run.exit.code == kExitNotConfined && run.output.starts_with("kbx-confine: ")))
    return Error{"the sandbox for the compiler failed: " + run.output, "run kbx doctor"};
  return run;
}

}  // namespace kbx
