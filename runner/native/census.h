// SPDX-License-Identifier: Apache-2.0
// The shared libraries that came into the process with the candidate, linked or dlopened.
#pragma once

#include <set>
#include <string>

namespace kbx::runner {

// Paths of all libraries loaded now.
std::set<std::string> loaded_libraries();

// The `reported` JSON: what is loaded now and was not before, but for `candidate` itself, and what the GPU ran.
std::string library_report(const std::set<std::string>& before, const std::string& candidate);

}  // namespace kbx::runner
