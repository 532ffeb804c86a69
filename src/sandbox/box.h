// SPDX-License-Identifier: Apache-2.0
// How a Launch looks from outside and from inside: bubblewrap's arguments, kbx-confine's arguments, Landlock's paths.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "sandbox/sandbox.h"

namespace kbx {

// The scratch folder inside a box.
constexpr const char* kScratchInBox = "/tmp/w";

// bwrap beside our executable (where kbx is carried to a machine without it), else on PATH; empty if there is none.
std::string find_bubblewrap();

// Arguments of bwrap up to the program, which `--args` reads from a descriptor so that the program does not find them in
// /proc/1/cmdline. Error: something to be bound does not exist.
Result<std::vector<std::string>> box_arguments(const Launch& launch, const std::vector<std::string>& environment);

// The environment of the program: the defaults, then launch.environment, with {scratch} replaced.
std::vector<std::string> box_environment(const Launch& launch, const std::string& scratch);

// What the program may read and write.
Reach box_reach(const Launch& launch, const std::string& scratch);

// kbx-confine's path and options, up to and including "--". `filter`: descriptor that holds the system call filter, -1 for none.
std::vector<std::string> confine_arguments(const Launch& launch, const std::string& confine, const Reach& reach, int filter);

// `text` with {scratch} replaced.
std::string with_scratch(std::string text, const std::string& scratch);

}  // namespace kbx
