// SPDX-License-Identifier: Apache-2.0
#include "core/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "core/exit_status.h"

namespace kbx {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may touch it only if it is lock-free");

void on_signal(int) {
  if (flag.exchange(true)) _exit(kExitInterrupted);
}

}  // namespace

const std::atomic<bool>& interrupted() { return flag; }

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace kbx
