// SPDX-License-Identifier: Apache-2.0
// The judge's own clock.
#pragma once

#include <chrono>

namespace kbx {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace kbx
