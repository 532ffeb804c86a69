// SPDX-License-Identifier: Apache-2.0
// What the GPU is that candidates run on, for runners that compile for it without seeing it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kbx {

struct GpuProperties {
  uint32_t arch = 0;  // compute capability x 10
  std::string json;   // an object with the names of torch.cuda.get_device_properties
};

// Of the device with this ordinal. Nothing where there is no driver or no such device. Makes no context.
std::optional<GpuProperties> gpu_properties(int device);

}  // namespace kbx
