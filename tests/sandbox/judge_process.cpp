// SPDX-License-Identifier: Apache-2.0
// kbx-test-judge NAMESPACES: starts `kbx-holes stay` with descriptor 3 and then waits to be killed.
#include <unistd.h>

#include <cstdlib>

#include "attempts.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const unsigned protection = std::atoi(argv[1]) != 0 ? kbx::kNamespaces : 0u;
  auto process = kbx::start_attempt("stay", "", protection, {3}, -1);
  if (!process.ok()) return 1;
  close(3);
  for (;;) pause();
}
