// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/output.h"
#include "cli/style.h"
#include "core/utf8.h"

namespace kbx {

int complain(const Error& error, ExitStatus status) {
  const Style style = style_of(2);
  std::string text = coloured("kbx: ", Colour::red, style) + printable(error.message) + "\n";
  if (!error.remedy.empty()) text += "     " + printable(error.remedy) + "\n";
  std::fputs(text.c_str(), stderr);
  return status;
}

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return kExitCorrect;
  if (errno == EPIPE) return kExitCorrect;
  return complain({std::string("cannot write the output: ") + std::strerror(errno), ""}, kExitTrouble);
}

}  // namespace kbx
