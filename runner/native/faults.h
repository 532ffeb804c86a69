// SPDX-License-Identifier: Apache-2.0
// What the process says when it dies of a signal: a `fault` message, then the signal's default action. The candidate can
// replace the handlers, so this is for wording only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbx::runner {

void install_fault_handlers();

// Segments that a fault's address is compared with. At most 4096 are remembered.
void remember_segment(uint32_t id, const char* base, size_t length);
void forget_segment(uint32_t id, const char* base);

}  // namespace kbx::runner
