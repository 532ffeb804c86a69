// SPDX-License-Identifier: Apache-2.0
// runner-baseline: calls the reference operators of libkbx_reference.so. docs/protocol.md.
#include "native/reference.h"

int main() {
  kbx::runner::ReferenceLibrary library;
  return kbx::runner::serve(library);
}
