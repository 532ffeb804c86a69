// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM: a flag that long waits look at, so that the current candidate is dropped and the ledger closed.
#pragma once

#include <atomic>

namespace kbx {

// True once the process was asked to stop. Any thread.
const std::atomic<bool>& interrupted();

// SIGINT and SIGTERM set the flag; a second one ends the process at once with status 130. SIGPIPE is ignored.
void install_interrupt_handlers();

}  // namespace kbx
