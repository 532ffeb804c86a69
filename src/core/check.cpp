// SPDX-License-Identifier: Apache-2.0
#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace kbx {

void check_failed(const char* file, int line, const std::string& what) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace kbx
