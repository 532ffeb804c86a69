// SPDX-License-Identifier: Apache-2.0
// The processor's name.
#pragma once

#include <string>

namespace kbx {

// As /proc/cpuinfo has it: "Intel(R) Xeon(R) ..."; "unknown processor" where it has none.
std::string processor();

}  // namespace kbx
