// SPDX-License-Identifier: Apache-2.0
// A runner out of any program that speaks the protocol.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/hosts.h"

namespace kbx {

// Starts `program` in the sandbox, where it sees `paths` beside itself. Returns when it is confined. Error: ours.
Result<std::unique_ptr<Runner>> start_program(const std::string& program, std::vector<std::string> paths,
                                              const RunnerOptions& options, const std::vector<std::string>& arguments = {});

}  // namespace kbx
