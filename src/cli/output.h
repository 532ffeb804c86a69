// SPDX-License-Identifier: Apache-2.0
// Words to people: results on stdout, troubles on stderr.
#pragma once

#include <string>

#include "core/exit_status.h"
#include "core/result.h"

namespace kbx {

// Prints "kbx: message" and the remedy on stderr; returns `status`.
int complain(const Error& error, ExitStatus status);

// Writes to stdout. Trouble (a full disk) is said and becomes kExitTrouble; a reader that closed the pipe is none.
int print(const std::string& text);

}  // namespace kbx
