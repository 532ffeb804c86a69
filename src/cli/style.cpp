// SPDX-License-Identifier: Apache-2.0
#include "cli/style.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace kbx {

Style style_of(int descriptor) {
  Style style;
  if (::isatty(descriptor) == 0) return style;
  const char* const no_colour = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  const char* const term = std::getenv("TERM");
  const bool dumb = term && std::string_view(term) == "dumb";
  style.terminal = !dumb;
  style.colour = !dumb && !(no_colour && *no_colour);
  winsize size{};
  style.width = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  return style;
}

std::string coloured(std::string_view text, Colour colour, const Style& style) {
  if (!style.colour) return std::string(text);
  const auto code = [colour] {
    switch (colour) {
      case Colour::red:
        return "31";
      case Colour::green:
        return "32";
      case Colour::yellow:
        return "33";
      case Colour::blue:
        return "36";
      case Colour::dim:
        return "2";
      case Colour::bold:
        return "1";
    }
    return "0";
  };
  return fmt::format("\x1b[{}m{}\x1b[0m", code(), text);
}

}  // namespace kbx
