// SPDX-License-Identifier: Apache-2.0
// The GPUs that this process may use, as the CUDA driver names them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace kbx {

struct Gpu {
  int ordinal = 0;  // among those that CUDA_VISIBLE_DEVICES leaves
  std::string name;
  uint32_t arch = 0;   // compute capability x 10
  int driver_api = 0;  // of the driver, e.g. 13000
  // What torch.cuda.get_device_properties says, by its names and in its units (bytes, kHz, bits, counts).
  std::map<std::string, int64_t> properties;
};

// Initialises the driver in this process, which must not fork any more. Empty where CUDA shows none. Error: no driver, or one
// that does not start, with the remedy.
Result<std::vector<Gpu>> list_gpus();

// The same, seen by a short-lived child: this process stays without CUDA. REQUIRES: it has no second thread that holds a lock.
Result<std::vector<Gpu>> probe_gpus();

}  // namespace kbx
