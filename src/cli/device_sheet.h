// SPDX-License-Identifier: Apache-2.0
// Facts of a GPU for those who write kernels for it.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"

namespace kbx {

// Markdown of a device: "cuda" or "cuda:N" asks the driver of this machine; "a100", "h100", "h200", "h800", "h20", "l20", "4090",
// "5090" (any case) are known by their vendor's data sheets. Error: no such device, or an unknown name with those that are known.
Result<std::string> device_sheet(const std::string& device);

// Peaks by a vendor's data sheet: bytes and operations per second, by tensor cores for tf32 and bf16 (fp16 is the same).
struct SheetPeaks {
  std::string name;
  double bandwidth = 0, fp32 = 0, tf32 = 0, bf16 = 0;
};
// Of the GPU that the driver calls so ("NVIDIA H200"). Nothing: not known, or another form of it than the sheet's.
std::optional<SheetPeaks> vendor_peaks(const std::string& driver_name);

}  // namespace kbx
