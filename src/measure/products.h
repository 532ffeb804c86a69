// SPDX-License-Identifier: Apache-2.0
// How fast a device multiplies large matrices.
#pragma once

#include <optional>
#include <string_view>

#include "measure/stopwatch.h"

namespace kbx {

// Operations per second of a product of two n x n matrices in "fp64", "fp32", "tf32", "bf16", "fp16", "fp8" or "int8", with
// 2 n^3 operations. Where one product would take more than `seconds`, n is a quarter. Nothing where the device, or ATen on it,
// cannot do it. Throws c10::OutOfMemoryError.
std::optional<double> product_rate(std::string_view type, int64_t n, at::Device device, double seconds, Stopwatch& watch);

}  // namespace kbx
