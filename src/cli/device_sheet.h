// SPDX-License-Identifier: Apache-2.0
// Facts of a GPU for those who write kernels for it.
#pragma once

#include <string>

#include "core/result.h"

namespace kbx {

// Markdown of a device: "cuda" or "cuda:N" asks the driver of this machine; "a100", "h100", "h200", "h800", "h20", "l20", "4090",
// "5090" (any case) are known by their vendor's data sheets. Error: no such device, or an unknown name with those that are known.
Result<std::string> device_sheet(const std::string& device);

}  // namespace kbx
