// SPDX-License-Identifier: Apache-2.0
// What a stream can show: colours and a width, or plain lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbx {

struct Style {
  bool terminal = false;  // a person watches: lines may be redrawn
  bool colour = false;
  size_t width = 0;  // columns; 0: unlimited
};

// Of descriptor 1 or 2. Colours only on a terminal, and not with NO_COLOR or TERM=dumb in the environment.
Style style_of(int descriptor);

enum class Colour { red, green, yellow, blue, dim, bold };

// The text between escape sequences, or as it is where the style has no colours.
std::string coloured(std::string_view text, Colour colour, const Style& style);

}  // namespace kbx
