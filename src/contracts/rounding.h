// SPDX-License-Identifier: Apache-2.0
// How real numbers round to a floating-point type. Reals are float64 tensors here; every function works on any device
// and keeps the shape. Complex tensors have to be split with at::view_as_real first.
#pragma once

#include <ATen/core/Tensor.h>

namespace kbx {

// IEEE 754 parameters of a type: significant bits and the exponent of the least normal number.
struct FloatFormat {
  int digits;
  int least_exponent;
};
// REQUIRES: float64, float32, float16 or bfloat16.
FloatFormat float_format(at::ScalarType type);
bool has_float_format(at::ScalarType type);

// Relative error of one operation in the precision that a kernel for this output type computes in: 2^-53 for float64,
// else 2^-24, since 16-bit outputs are computed in float32 and rounded once.
double working_roundoff(at::ScalarType type);

// 2^exponent, elementwise and exact. `exponent`: int64; the result is at least 2^-1022, the least normal float64.
at::Tensor power_of_two(const at::Tensor& exponent);
// floor(log2 |x|) of a float64 tensor as int64, at least -1023; 1024 for infinities and NaN.
at::Tensor exponent_of(const at::Tensor& x);

// Half the spacing of `type` at |y|. `y`: float64 whose values are representable in `type`.
at::Tensor half_ulp(const at::Tensor& y, at::ScalarType type);

// half_ulp of a y in its own type, plus a constant: float64, and fewer passes over memory.
at::Tensor half_ulp_plus(const at::Tensor& y, double constant);

// Distance of r from the rounding cell of y: all reals that round to y in y's own type. NaN where either is NaN.
// REQUIRES: y has a float format; r is float64 of y's shape.
at::Tensor excess(const at::Tensor& y, const at::Tensor& r);

// The same, but where r lies within the cell: there minus its distance to the nearer edge. One pass less, for a maximum.
at::Tensor signed_excess(const at::Tensor& y, const at::Tensor& r);

// r rounded to `type` (to nearest, ties to even, beyond the range to infinity), as float64. Rounds once, unlike
// Tensor::to, which goes from float64 to 16 bits by way of float32: 1 + 2^-11 + 2^-40 becomes 1 there.
at::Tensor round_to(const at::Tensor& r, at::ScalarType type);

// x with `digits` significant bits, to nearest (ties to even) or truncated. The exponent range stays float64's.
at::Tensor round_significand(const at::Tensor& x, int digits);
at::Tensor truncate_significand(const at::Tensor& x, int digits);

}  // namespace kbx
