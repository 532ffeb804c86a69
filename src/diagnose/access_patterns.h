// SPDX-License-Identifier: Apache-2.0
// Patterns of memory use: accesses outside the buffers, changed red zones and inputs, signals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"

namespace kbx {

// One source line that accessed memory outside every buffer, as the interpreter reports it.
struct BadAccess {
  std::string kernel, file;
  int line = 0;
  bool write = false;
  std::string buffer;    // the nearest argument; empty: none is near
  int64_t distance = 0;  // bytes behind its end; negative: before its start
  int64_t count = 1;     // elements
  std::string program;   // "(3, 0, 0)", empty if unknown
};
std::vector<Diagnosis> diagnose_accesses(const std::vector<BadAccess>& accesses);

// The memory around a buffer changed: `distance` bytes behind its end (0 is the first byte), negative before its start.
Diagnosis diagnose_red_zone(const std::string& buffer, int64_t distance);

// An input differs after the call. `where`: index of the first changed element.
Diagnosis diagnose_changed_input(const std::string& argument, const std::string& where);

// The candidate died by a signal. `buffer` is empty where the address is near none.
struct FatalSignal {
  int signal = 0;
  bool write = false;
  std::optional<uint64_t> address;
  std::string buffer;
  int64_t distance = 0;
};
std::vector<Diagnosis> diagnose_signal(const FatalSignal& signal);

}  // namespace kbx
