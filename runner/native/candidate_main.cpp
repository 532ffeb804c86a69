// SPDX-License-Identifier: Apache-2.0
// runner-native: calls a candidate's shared library. docs/protocol.md.
#include "native/candidate.h"

int main() {
  kbx::runner::CandidateLibrary library;
  return kbx::runner::serve(library);
}
