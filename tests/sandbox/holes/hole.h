// SPDX-License-Identifier: Apache-2.0
// What hostile candidates try, each as a function. The program `kbx-holes` locks itself down as a runner does, and then tries
// one.
#pragma once

#include <span>
#include <string>

namespace kbx::holes {

// True if it got what it wanted. Leaves errno where it did not.
using Attempt = bool (*)(const std::string& target);

struct Hole {
  const char* name;
  Attempt attempt;
};

std::span<const Hole> file_holes();
std::span<const Hole> process_holes();
std::span<const Hole> kernel_holes();
std::span<const Hole> network_holes();
std::span<const Hole> resource_holes();

// Exit statuses of kbx-holes.
constexpr int kOpen = 40, kDenied = 41, kUsage = 42, kNotLocked = 43;

}  // namespace kbx::holes
