// SPDX-License-Identifier: Apache-2.0
// runner-baseline [CENSUS CUPTI]: calls the reference operators of libkbx_reference.so; on a GPU with two arguments.
// docs/protocol.md.
#include <dlfcn.h>

#include <cstdio>

#include "native/device_census.h"
#include "native/reference.h"

int main(int argc, char** argv) {
  if (argc == 3) {
    if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    kbx::runner::open_device_census(argv[1], argv[2]);
  }
  kbx::runner::ReferenceLibrary library;
  return kbx::runner::serve(library);
}
