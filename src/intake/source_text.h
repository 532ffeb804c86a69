// SPDX-License-Identifier: Apache-2.0
// Bytes to source text: encoding and line ends, and the lines on which a multi-line string or comment is open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"

namespace kbx {

// UTF-8 without byte-order mark, "\n" line ends. Error: empty, binary, UTF-16, or not UTF-8 (line and column).
Result<std::string> source_text(std::string_view bytes);

// The published format appends the task's test after a line of 146 '#'. Returns the text before that line, provided that
// it defines a function; otherwise all of it (a banner is no separator).
std::string_view without_appended_test(std::string_view source);

struct Line {
  std::string_view text;  // without its "\n"
  bool inside = false;    // starts within a string or comment that an earlier line opened
};

// Reads a text line by line, knowing the strings and comments that span lines: """ and ''' in Python, /* */ and R"x(...)x"
// in C++ and CUDA.
class LineReader {
 public:
  LineReader(std::string_view text, Language language) : text_(text), language_(language) {}

  // The next line; false at the end of the text.
  bool next(Line& line);
  // What has not been read.
  std::string_view rest() const { return text_.substr(at_); }

 private:
  void scan(std::string_view line, size_t start);

  std::string_view text_;
  Language language_;
  size_t at_ = 0;
  std::string closing_;  // what ends the string or comment that is open; "" in plain code
};

}  // namespace kbx
