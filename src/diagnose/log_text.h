// SPDX-License-Identifier: Apache-2.0
// A failure's text taken apart: what was said, and the source that it was said about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbx {

struct LogText {
  std::vector<std::string> message;  // lines that are words of a compiler, an exception or the judge
  std::vector<std::string> source;   // lines of source that were shown with them, without their numbers
  std::string statement;             // the marked source line, or that of the innermost frame; may be empty
  std::string marked;                // `statement` from the caret on, the whole of it without a caret
};

// Reads the lines that matter: runners' excerpts ("> 12 code"), tracebacks, compilers' excerpts and their carets.
LogText read_log(std::string_view log);

}  // namespace kbx
