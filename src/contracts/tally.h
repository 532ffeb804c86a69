// SPDX-License-Identifier: Apache-2.0
// Counting and locating wrong elements while an output is compared chunk by chunk.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "contracts/exact.h"

namespace kbx {

// Flat elements of one chunk. The parts of a complex output are elements of their own here.
struct Chunk {
  at::Tensor y, truth;
  at::Tensor budget;  // undefined if none was given
  at::Tensor eager;   // undefined if none was given
};

// Runs `score` over the chunks: float64, at most 1 where the element is accepted, 0 where it is a correct rounding,
// infinity or NaN where nothing forgives it. Then counts, and keeps the worst. `budget` and `eager` may be undefined.
Comparison compare_by_chunks(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& budget, const at::Tensor& eager,
                             const std::function<at::Tensor(const Chunk&)>& score);

// Not finite in the same way: NaN for NaN, infinity for the same infinity. Also true where finite and equal.
at::Tensor same_value(const at::Tensor& a, const at::Tensor& b);

}  // namespace kbx
