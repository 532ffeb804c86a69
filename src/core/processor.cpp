// SPDX-License-Identifier: Apache-2.0
#include "core/processor.h"

#include <fstream>

namespace kbx {

std::string processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

}  // namespace kbx
