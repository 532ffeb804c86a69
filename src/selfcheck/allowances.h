// SPDX-License-Identifier: Apache-2.0
// What may pass though it is degraded or something else (or fail though it is honest), each with its reason. A line that
// is no longer needed is a problem of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// The reason, or "" if there is none.
std::string allowance(std::string_view task, std::string_view trial);
std::vector<std::string> allowed_trials(std::string_view task);

}  // namespace kbx
