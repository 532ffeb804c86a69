// SPDX-License-Identifier: Apache-2.0
// Measures what a device can do at best, with ATen in the judge's own process.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <string>

#include "core/result.h"
#include "measure/profile.h"

namespace kbx {

enum class Effort {
  quick,    // a second or two: what a judge does that finds no profile
  thorough  // kbx calibrate
};

// All but `noise`. On the CPU with `threads` threads; on a GPU by events, on cold caches. `progress`: told what comes next.
// Error: no such device, or not enough memory.
Result<DeviceProfile> measure_peaks(at::Device device, int threads, Effort effort,
                                    const std::function<void(const std::string&)>& progress = {});

// "NVIDIA H200"; on the CPU its model and the number of threads.
std::string device_name(at::Device device, int threads);

// The stored profile, or a quick one measured now and stored. Error: as measure_peaks, or a damaged file.
Result<DeviceProfile> profile_of(at::Device device, int threads);

}  // namespace kbx
