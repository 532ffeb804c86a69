// SPDX-License-Identifier: Apache-2.0
// Runs a hole of kbx-holes under a choice of layers.
#pragma once

#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace kbx {

// What may stand between a candidate and what it wants.
enum Protection : unsigned {
  kNamespaces = 1,
  kLandlock = 2,
  kFilter = 4,        // system call filter that still allows exec
  kStrictFilter = 8,  // the one that does not
  kNoCapabilities = 16,
  kCleanEnvironment = 32,
  kLimits = 64,         // 256 MiB of memory, files of 4 MiB, 32 descriptors
  kFork = 128,          // none: the attempt is made by a forked child of the first program
  kOwnNamespaces = 256  // the same, the child having namespaces of its own, as those of zygotes
};
constexpr unsigned kAllProtection = kNamespaces | kLandlock | kStrictFilter | kNoCapabilities | kCleanEnvironment | kLimits;

struct Attempted {
  bool open = false, denied = false;  // neither: it could not be tried
  std::string said;
};

// Tries `hole` on `target`. The box may fork namespaces if it drops no capabilities itself.
Attempted attempt(const std::string& hole, const std::string& target, unsigned protection);

// A running attempt that does not end by itself.
Result<Process> start_attempt(const std::string& hole, const std::string& target, unsigned protection,
                              std::vector<int> descriptors, int output);

// The program kbx-holes, beside this one.
std::string holes_program();

}  // namespace kbx
