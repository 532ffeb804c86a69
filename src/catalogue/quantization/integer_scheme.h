// SPDX-License-Identifier: Apache-2.0
// The parts of a symmetric integer scheme in exact arithmetic, and how far a kernel that computes in float32 may be off.
// The oracle of a quantised task returns two tensors: the scheme's result, and what each of its elements may differ by
// beyond the roundings that contract `quantised` grants to all.
#pragma once

#include <ATen/core/Tensor.h>

namespace kbx {

inline constexpr double kInt8Levels = 127, kInt4Levels = 7;
inline constexpr double kFloat32Roundoff = 0x1p-24;

struct IntegerTensor {
  at::Tensor q;      // round(x / scale), ties to even: integers held in float64
  at::Tensor scale;  // max |x| / levels of the elements that share it, broadcasting with q; 1 / levels where all are zero
  at::Tensor ties;   // how many integers off a float32 kernel may be: 1 where rounding may go to the neighbour, else 0
};

// Elements that share a scale lie along `dims`.
IntegerTensor to_integers(const at::Tensor& x, at::IntArrayRef dims, double levels = kInt8Levels);

// How many integers off the rounding of t may be where t is known up to `uncertainty`. Both float64, of one shape.
at::Tensor integers_off(const at::Tensor& t, const at::Tensor& uncertainty);

// Up to how many roundings the sum of n float32 numbers may be off, relative to the sum of their magnitudes: sequential,
// blocked or pairwise, with room to spare for errors that do not all have one sign.
double summation_roundings(int64_t n);

}  // namespace kbx
