// SPDX-License-Identifier: Apache-2.0
// UTF-8 from strangers: candidates, compilers and file systems hand us any bytes. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbx {

// Offset of the first byte that is not part of a well-formed sequence (RFC 3629: shortest form, no surrogates, at most
// U+10FFFF), or npos.
size_t first_invalid_utf8(std::string_view text);

// The text with each ill-formed byte replaced by U+FFFD. JSON and terminals take only this.
std::string valid_utf8(std::string_view text);

// Valid UTF-8 without control characters (escape sequences above all): newline, tab and the rest become "\n", "\t", "\x1b".
std::string printable(std::string_view text);

// Number of code points. REQUIRES: valid UTF-8.
size_t code_points(std::string_view text);

// At most `width` code points; where something was cut off the last one is an ellipsis. REQUIRES: valid UTF-8.
std::string shortened(std::string_view text, size_t width);

}  // namespace kbx
