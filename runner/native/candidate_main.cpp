// SPDX-License-Identifier: Apache-2.0
// runner-native [CENSUS CUPTI]: calls a candidate's shared library. docs/protocol.md.
#include "native/candidate.h"
#include "native/device_census.h"

int main(int argc, char** argv) {
  if (argc == 3) kbx::runner::open_device_census(argv[1], argv[2]);
  kbx::runner::CandidateLibrary library;
  return kbx::runner::serve(library);
}
