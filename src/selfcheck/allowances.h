// SPDX-License-Identifier: Apache-2.0
// What may pass though it is degraded or something else (or fail though it is honest), each with its reason. A line that
// is no longer needed is a problem of its own.
#pragma once

#include <c10/core/DeviceType.h>

#include <string>
#include <string_view>
#include <vector>

namespace kbx {

// The reason, or "" if there is none. An allowance for one device does not hold on another.
std::string allowance(std::string_view task, std::string_view trial, c10::DeviceType device);
// Those that have to be needed on that device: the ones for all devices are made for the CPU.
std::vector<std::string> allowed_trials(std::string_view task, c10::DeviceType device);

}  // namespace kbx
