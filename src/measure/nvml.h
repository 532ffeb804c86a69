// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's management library says of a GPU, found at run time: it comes with the driver.
#pragma once

#include <functional>
#include <optional>

#include "measure/watch.h"

namespace kbx {

// Asks for clock, temperature and slowdowns of the GPU that CUDA calls `ordinal` in this process (CUDA_VISIBLE_DEVICES renumbers;
// NVML does not). One that always returns nothing where the library is missing or the GPU is hidden from it. REQUIRES: the CUDA
// driver is initialised. The library stays loaded.
std::function<std::optional<GpuState>()> nvml_probe(int ordinal);

}  // namespace kbx
