// SPDX-License-Identifier: Apache-2.0
// Patterns in the text of failed builds, imports and calls: compilers, Python tracebacks, Triton, the runner's messages.
// Applied to failures only, never to what a candidate prints while it works.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/verdict.h"

namespace kbx {

// The few lines that say what went wrong, in their order, without colour codes: compiler errors with their caret
// excerpt, the innermost frame in the candidate and the exception of a traceback, Triton's excerpt; else the last lines.
std::vector<std::string> lines_that_matter(std::string_view log, size_t limit = 12);

// Where the failure happened.
enum class FailedIn { parse, build, import, bind, call };

// Patterns recognised in `text` (message and log together), most specific first; may be empty.
std::vector<Diagnosis> diagnose_log(FailedIn where, std::string_view text);

// Limits: what a candidate exceeded.
Diagnosis diagnose_timeout(double seconds, const std::string& doing);
Diagnosis diagnose_out_of_memory(const std::string& how);
Diagnosis diagnose_exit(int code);

}  // namespace kbx
