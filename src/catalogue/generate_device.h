// SPDX-License-Identifier: Apache-2.0
// Large inputs drawn where they are to lie: drawing 64 MB on the host and copying them takes a second, there less than a
// millisecond. The numbers are not the host's: they come from the device's own generator (Philox on CUDA), are drawn in float32
// for types that hold no more, and follow the same distributions. Another model of GPU may draw others.
#pragma once

#include <ATen/core/Tensor.h>

#include "catalogue/case_syntax.h"

namespace kbx {

// Contents that are small depend on (key, index) alone, the same on every device; from this many elements on they need not.
inline constexpr int64_t kDrawnOnDevice = int64_t{1} << 18;

// Whether `elements` of the recipe are drawn on that device: many, on a GPU, by a generator and modifiers that can do so.
bool drawn_on_device(const Recipe& recipe, at::ScalarType dtype, int64_t elements, at::Device device);

// Contiguous, values modified, layout modifiers left to the caller. A function of (recipe, dtype, key, sizes, model of the
// device). Each element is an outlier with chance 0.01; that there is one is not made sure, as so many have some. REQUIRES:
// check_recipe(recipe) is ok, and drawn_on_device() for such a number of elements on a GPU; also works on the CPU.
at::Tensor draw_on_device(const Recipe& recipe, at::ScalarType dtype, uint64_t key, at::IntArrayRef sizes, at::Device device);

}  // namespace kbx
