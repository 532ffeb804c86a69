// SPDX-License-Identifier: Apache-2.0
// Floating-point outputs against the truth with an error budget for each element (docs/tolerance.md).
#pragma once

#include <ATen/core/Tensor.h>

#include "contracts/exact.h"

namespace kbx {

// Accepts an element when the distance of the truth from its rounding cell is within the budget. Special values:
// NaN and infinities where the truth has them; an infinity also where the truth within its budget rounds to it; and
// eager's own value where that is not finite, though the truth is something else (an overflow on the way, inf * 0 in its
// vectorised code). Nothing else that is NaN passes.
// `truth`: float64, or complex128 for complex y (both parts under one budget). `budget`: float64, finite, positive.
// `eager`: of y's type; may be undefined. REQUIRES: equal shapes and devices. Works in chunks of bounded memory.
Comparison compare_numeric(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& budget, const at::Tensor& eager);

}  // namespace kbx
