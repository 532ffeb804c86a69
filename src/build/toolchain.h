// SPDX-License-Identifier: Apache-2.0
// The compilers of this machine and the command lines that we give them.
#pragma once

#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/installation.h"
#include "core/result.h"

namespace kbx {

struct Toolchain {
  Language language = Language::cpp;
  std::string compiler;  // absolute path of g++ or nvcc
  std::string root;      // folder that has to be visible in the sandbox beside /usr; empty if none
  std::string identity;  // version and target: what makes one artifact differ from another, beside the source
};

// REQUIRES: language is cpp or cuda. Error: no compiler, and where to get it. Asked once a process and language; safe from any
// thread.
Result<Toolchain> find_toolchain(Language language);

// compute-sanitizer of the CUDA toolkit: on PATH, in /usr/local/cuda/bin, or beside nvcc.
struct Sanitizer {
  std::string program;  // absolute path
  std::string root;     // as Toolchain::root
};
// Error: there is none, and where to get it.
Result<Sanitizer> find_compute_sanitizer();

// Absolute path of ncu, the command line of Nsight Compute: on PATH, in /usr/local/cuda/bin, beside nvcc, or where NVIDIA's
// packages put it, the newest there. Error: there is none, and where to get it.
Result<std::string> find_ncu();

// All words after the compiler but the sources and the output. `arch` only matters for CUDA.
std::vector<std::string> compiler_flags(Language language, const std::string& arch, const Installation& installation);

}  // namespace kbx
