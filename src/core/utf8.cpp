// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <fmt/format.h>

namespace kbx {
namespace {

bool between(unsigned char c, unsigned low, unsigned high) { return c >= low && c <= high; }

// Length of the well-formed sequence at the start of `text`, 0 if there is none (table 3-7 of the Unicode standard).
size_t sequence_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (between(lead, 0xC2, 0xDF)) return between(at(1), 0x80, 0xBF) ? 2 : 0;
  if (between(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return between(at(1), low, high) && between(at(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (between(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return between(at(1), low, high) && between(at(2), 0x80, 0xBF) && between(at(3), 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

size_t first_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = sequence_length(text.substr(i));
    if (length == 0) {
      out += "\uFFFD";
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (size_t i = 0; i < valid.size(); ++i) {
    const unsigned char c = valid[i];
    const unsigned char next = i + 1 < valid.size() ? valid[i + 1] : 0;
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c == 0xC2 && next < 0xA0) {  // C1 controls: U+009B starts an escape sequence too
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

size_t code_points(std::string_view text) {
  size_t count = 0;
  for (unsigned char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

std::string shortened(std::string_view text, size_t width) {
  if (code_points(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t end = 0;
  for (size_t kept = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) continue;
    if (kept++ == width - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace kbx
