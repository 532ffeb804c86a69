// SPDX-License-Identifier: Apache-2.0
// The lines of a log that matter: one extractor per kind of log, the first that finds something wins.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/log_patterns.h"

namespace kbx {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kLongestLine = 240;

// Without colour codes (ESC [ ... letter), carriage returns and trailing blanks.
Lines split(std::string_view log) {
  Lines lines(1);
  for (size_t i = 0; i < log.size(); ++i) {
    if (log[i] == '\x1b' && i + 1 < log.size() && log[i + 1] == '[') {
      for (i += 2; i < log.size() && !std::isalpha(static_cast<unsigned char>(log[i]));) ++i;
    } else if (log[i] == '\n') {
      lines.emplace_back();
    } else if (log[i] != '\r') {
      lines.back() += log[i];
    }
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(" \t") + 1);
  return lines;
}

bool has(const std::string& line, std::string_view part) { return line.find(part) != std::string::npos; }
bool starts(const std::string& line, std::string_view part) { return line.compare(0, part.size(), part) == 0; }
std::string_view trimmed(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

// "ValueError: ...", "triton.compiler.errors.CompilationError: ...", "KeyboardInterrupt"; in the judge's own words
// "raised ValueError: ...", "does not bind: TypeError: ...".
bool is_exception(std::string_view line) {
  for (const std::string_view prefix : {"raised ", "does not bind: "})
    if (line.substr(0, prefix.size()) == prefix) line.remove_prefix(prefix.size());
  const std::string_view name = line.substr(0, line.find(':'));
  if (name.empty() || name.find_first_of(" \t\"'(") != std::string_view::npos) return false;
  const std::string_view last = name.substr(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
  for (const std::string_view end : {"Error", "Exception", "Exit", "Interrupt", "Warning", "Iteration"})
    if (last.size() >= end.size() && last.substr(last.size() - end.size()) == end) return true;
  return false;
}

bool is_frame(const std::string& line) { return starts(line, "  File \"") && has(line, ", line "); }

// Frames of libraries say little: the candidate's own innermost one is wanted.
bool is_library(const std::string& frame) {
  return has(frame, "/site-packages/") || has(frame, "/lib/python") || has(frame, "<frozen ") || has(frame, "/kbx/");
}

// The last traceback: the candidate's innermost frame with its source line, then the exception and its text.
Lines python(const Lines& lines) {
  size_t begin = lines.size();
  for (size_t i = 0; i < lines.size(); ++i)
    if (starts(lines[i], "Traceback (most recent call last)")) begin = i;
  size_t frame = lines.size(), any_frame = lines.size(), exception = lines.size();
  for (size_t i = begin == lines.size() ? 0 : begin; i < lines.size(); ++i) {
    if (is_frame(lines[i])) {
      any_frame = i;
      if (!is_library(lines[i])) frame = i;
    } else if (is_exception(lines[i])) {
      exception = i;
      break;
    }
  }
  if (exception == lines.size()) return {};
  if (frame == lines.size()) frame = any_frame;
  Lines kept;
  // A syntax error's own frame is followed by the line and its caret, up to the exception.
  for (size_t i = frame; i < exception; ++i) {
    if (i > frame && is_frame(lines[i])) break;
    if (!lines[i].empty()) kept.push_back(lines[i]);
  }
  for (size_t i = exception; i < lines.size(); ++i) {
    if (i > exception && (is_exception(lines[i]) || starts(lines[i], "Traceback"))) break;
    if (!lines[i].empty()) kept.push_back(lines[i]);
  }
  return kept;
}

// Triton: "at 5:12:", the kernel's source up to the line, a caret, the message.
Lines triton(const Lines& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t at = lines[i].find("at ");
    if (at == std::string::npos || lines[i].empty() || lines[i].back() != ':' ||
        std::count(lines[i].begin(), lines[i].end(), ':') < 2)
      continue;
    if (at + 3 >= lines[i].size() || !std::isdigit(static_cast<unsigned char>(lines[i][at + 3]))) continue;
    size_t caret = i + 1;
    while (caret < lines.size() && trimmed(lines[caret]) != "^") ++caret;
    if (caret == lines.size() || caret < i + 2) continue;
    Lines kept{lines[i], lines[caret - 1], lines[caret]};
    for (size_t j = caret + 1; j < lines.size() && kept.size() < 8; ++j)
      if (!lines[j].empty()) kept.push_back(lines[j]);
    return kept;
  }
  return {};
}

bool is_compiler_error(const std::string& line) {
  if (trimmed(line).substr(0, 7) == "error: " || has(line, ": error:") || has(line, ": fatal error:") || has(line, "): error"))
    return true;
  return has(line, "undefined reference to") || has(line, "multiple definition of") || starts(line, "ptxas ") ||
         starts(line, "nvcc fatal") || has(line, "cannot find -l") || has(line, "undefined symbol");
}

// g++, nvcc, ptxas, ld: each error with the excerpt that follows it ("   12 |   foo();", "      |   ^~~").
Lines compiler(const Lines& lines) {
  Lines kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!is_compiler_error(lines[i])) continue;
    kept.push_back(lines[i]);
    for (size_t j = i + 1; j < lines.size() && j <= i + 3 && has(lines[j], " | "); ++j) kept.push_back(lines[j]);
  }
  return kept;
}

Lines last_ones(const Lines& lines, size_t count) {
  Lines kept;
  for (size_t i = lines.size(); i-- > 0 && kept.size() < count;)
    if (!lines[i].empty()) kept.insert(kept.begin(), lines[i]);
  return kept;
}

}  // namespace

std::vector<std::string> lines_that_matter(std::string_view log, size_t limit) {
  const Lines lines = split(log);
  Lines kept = triton(lines);
  if (kept.empty()) kept = python(lines);
  if (kept.empty()) kept = compiler(lines);
  if (kept.empty()) kept = last_ones(lines, std::min<size_t>(limit, 5));
  if (kept.size() > limit) kept.resize(limit);
  for (std::string& line : kept)
    if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + " ...";
  return kept;
}

}  // namespace kbx
