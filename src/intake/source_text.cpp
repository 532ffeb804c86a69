// SPDX-License-Identifier: Apache-2.0
#include "intake/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.h"

namespace kbx {
namespace {

constexpr size_t kSeparatorLength = 146;
constexpr size_t kLongestRawOpening = 19;  // R", a delimiter of at most 16 characters, (

std::string unix_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return out;
}

bool blank(std::string_view text) { return text.find_first_not_of(" \t\n\r\f\v") == std::string_view::npos; }

// What closes the construct that opens at `text[i]`, or "" if none opens there. `length`: how long the opening is.
std::string opened_at(std::string_view text, size_t i, Language language, size_t& length) {
  const std::string_view rest = text.substr(i);
  if (language == Language::triton) {
    length = 3;
    if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) return std::string(rest.substr(0, 3));
    length = 1;
    if (rest[0] == '"' || rest[0] == '\'') return std::string(rest.substr(0, 1));
    return rest[0] == '#' ? "\n" : "";
  }
  length = 2;
  if (rest.starts_with("/*")) return "*/";
  if (rest.starts_with("//")) return "\n";
  if (rest.starts_with("R\"")) {
    const size_t paren = rest.substr(0, kLongestRawOpening).find('(');
    if (paren != std::string_view::npos) {
      length = paren + 1;
      return ")" + std::string(rest.substr(2, paren - 2)) + "\"";
    }
  }
  length = 1;
  if (rest[0] == '"') return "\"";
  // An apostrophe after a digit separates digits: 1'000.
  if (rest[0] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))) return "'";
  return "";
}

}  // namespace

Result<std::string> source_text(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return Error{"is UTF-16", "save it as UTF-8"};
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (blank(bytes)) return Error{"is empty", ""};
  if (const size_t zero = bytes.find('\0'); zero != std::string_view::npos)
    return Error{fmt::format("is binary: byte {} is zero", zero), "give source text"};
  if (const size_t bad = first_invalid_utf8(bytes); bad != std::string_view::npos) {
    const std::string_view before = bytes.substr(0, bad);
    const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return Error{fmt::format("is not UTF-8: byte 0x{:02X} at line {}, column {}", static_cast<unsigned char>(bytes[bad]),
                             1 + std::count(before.begin(), before.end(), '\n'), 1 + code_points(before.substr(line_start))),
                 "save it as UTF-8"};
  }
  return unix_lines(bytes);
}

std::string_view without_appended_test(std::string_view source) {
  bool defined = false;
  for (size_t start = 0; start < source.size();) {
    const size_t end = std::min(source.find('\n', start), source.size());
    std::string_view line = source.substr(start, end - start);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    const bool separator = line.size() == kSeparatorLength && line.find_first_not_of('#') == std::string_view::npos;
    if (separator && defined) return source.substr(0, start);
    defined = defined || line.starts_with("def ");
    start = end + 1;
  }
  return source;
}

bool LineReader::next(Line& line) {
  if (at_ >= text_.size()) return false;
  const size_t start = at_, end = std::min(text_.find('\n', start), text_.size());
  line = {text_.substr(start, end - start), !closing_.empty()};
  scan(line.text, start);
  at_ = std::min(end + 1, text_.size());
  return true;
}

void LineReader::scan(std::string_view line, size_t start) {
  const size_t end = start + line.size();
  for (size_t i = start; i < end;) {
    const bool raw = closing_.size() > 1 && closing_.front() == ')';
    if (closing_.empty()) {
      size_t length = 1;
      closing_ = opened_at(text_, i, language_, length);
      i += closing_.empty() ? 1 : length;
    } else if (text_[i] == '\\' && closing_ != "\n" && closing_ != "*/" && !raw) {
      i += 2;
    } else if (text_.substr(i).starts_with(closing_)) {
      i += closing_.size();
      closing_.clear();
    } else {
      ++i;
    }
  }
  if (closing_ == "\n" || closing_ == "\"" || closing_ == "'") closing_.clear();  // these end with their line
}

}  // namespace kbx
