// SPDX-License-Identifier: Apache-2.0
// `kbx calibrate --validate`: races whose outcome is known, and how often the instrument was right about them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace kbx {

struct ValidateOptions {
  at::Device device = at::kCPU;
  int threads = 1;
  int pairs = 240;      // of the same code
  double seconds = 0;   // 0: 8 minutes on a GPU, an hour on the CPU
  std::string folder;   // for validation_<device>.jsonl and .md
  std::string command;  // that asks for this, for the page
  bool sandbox = true;
};

// Prints the page, keeps it beside the raw samples, and the noise in the device's profile. Returns the exit status: 0 all that is
// asked of the instrument holds; 1 it does not; 6 trouble; 130 interrupted: what was raced until then is in the files. REQUIRES:
// the device is usable.
int validate(const ValidateOptions& options);

// Prints the page of raw samples that were kept. The exit status is as above; 2: no such file.
int print_rates(const std::string& file);

}  // namespace kbx
