// SPDX-License-Identifier: Apache-2.0
// The versions that a verdict depends on.
#pragma once

#include <string>

#include "pipeline/options.h"

namespace kbx {

// "torch 2.11.0, triton 3.6.0, g++ 12.2.0, <processor>": one line, the same on the same machine; with the GPU and
// its compiler where one is used.
std::string environment_line(const std::optional<Gpu>& gpu);

std::string kbx_version();

}  // namespace kbx
