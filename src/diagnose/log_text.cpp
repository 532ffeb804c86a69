// SPDX-License-Identifier: Apache-2.0
#include "diagnose/log_text.h"

#include <algorithm>
#include <regex>

#include "diagnose/log_patterns.h"

namespace kbx {
namespace {

constexpr size_t kMostLines = 40;

bool is_caret(const std::string& line) {
  return line.find('^') != std::string::npos && line.find_first_not_of(" ^~|") == std::string::npos;
}

std::string stripped(const std::string& line) { return line.substr(std::min(line.find_first_not_of(" \t"), line.size())); }

}  // namespace

LogText read_log(std::string_view log) {
  static const std::regex kExcerpt(R"(^([> ]) +\d+ (?:\| ?)?(.*)$)");
  static const std::regex kFrame(R"(^\S+\.py:\d+ in )");
  const std::vector<std::string> lines = lines_that_matter(log, kMostLines);
  LogText text;
  const auto take_source = [&](const std::string& code, bool marked) {
    text.source.push_back(code);
    if (marked) text.statement = text.marked = stripped(code);
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    std::smatch found;
    const bool before_caret = i + 1 < lines.size() && is_caret(lines[i + 1]);
    if (is_caret(line)) {
      const std::string& code = i > 0 ? lines[i - 1] : line;
      const size_t column = line.find('^');
      if (!text.statement.empty() && column < code.size()) text.marked = code.substr(column);
    } else if (std::regex_match(line, found, kExcerpt)) {
      take_source(found[2], before_caret || found[1] == ">");
    } else if (std::regex_search(line, kFrame)) {
      continue;
    } else if (line.starts_with("  File \"")) {
      // A traceback's frame: the line below it is its source, unless Python could not find it.
      if (i + 1 < lines.size() && lines[i + 1].starts_with("    ") && !is_caret(lines[i + 1])) take_source(lines[++i], true);
    } else if (before_caret) {
      take_source(line, true);
    } else {
      text.message.push_back(line);
    }
  }
  return text;
}

}  // namespace kbx
