// SPDX-License-Identifier: Apache-2.0
// Counting and locating wrong elements while an output is compared chunk by chunk.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "contracts/exact.h"

namespace kbx {

// All elements in one dimension; a complex one as its two parts.
at::Tensor flat(const at::Tensor& t);

// Flat elements of one chunk. The parts of a complex output are elements of their own here.
struct Chunk {
  at::Tensor y, truth;
  at::Tensor budget;  // undefined if none was given
  at::Tensor eager;   // undefined if none was given
};

// Of each element, float64: at most 1 where it is accepted, 0 where it is a correct rounding, infinity or NaN where nothing
// forgives it.
using Score = std::function<at::Tensor(const Chunk&)>;

// The largest score of a chunk, as float64 of one element, without waiting for the device. Where it is beyond 1 it may be any
// such number or NaN: then the scores decide. Where all are 0 it may be below.
using UpperBound = std::function<at::Tensor(const Chunk&)>;

// Runs `score` over the chunks, counts, and keeps the worst. `budget` and `eager` may be undefined. With a `bound`, what passes
// costs one wait for the device, and `score` is not asked.
Comparison compare_by_chunks(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& budget, const at::Tensor& eager,
                             const Score& score, const UpperBound& bound = nullptr);

// Not finite in the same way: NaN for NaN, infinity for the same infinity. Also true where finite and equal.
at::Tensor same_value(const at::Tensor& a, const at::Tensor& b);

}  // namespace kbx
