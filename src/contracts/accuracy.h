// SPDX-License-Identifier: Apache-2.0
// Which precision an output shows (docs/tolerance.md, "Accuracy reached"). All tensors have equal shapes; elements that
// are not finite in every argument are left out. Sums are in float64.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/verdict.h"

namespace kbx {

struct ResidualRatios {
  // rms(y - explained) / rms(y - truth): far below 1 where y was computed on the inputs that `explained` stands for.
  // NaN or infinite where y equals the truth.
  double plain;
  // The same after least squares y = a + b * explained and y = a' + b' * truth, which takes out a factor common to all
  // elements. Means nothing where one element dominates: 1 unless there are at least 16 elements and the median of |truth|
  // is at least a quarter of its maximum.
  double fitted;
};
// For each of `explained`. Waits for the device once for as many of them as 2^20 elements hold.
std::vector<ResidualRatios> residual_ratios(const at::Tensor& y, const at::Tensor& truth,
                                            const std::vector<at::Tensor>& explained);

// Share of the elements of y that are representable in `type`.
double share_representable(const at::Tensor& y, at::ScalarType type);

// Effective bits -log2(sum of error^2 / sum of w^2) / 2 with w^2 = (spread / u)^2 + truth^2. For 16-bit outputs the
// error is what exceeds the rounding of the output itself. Infinity where there is no error.
double effective_bits(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& spread);

// The class for that many effective bits of an output of `type`: poor, tf32 (fp16 for 16-bit outputs), bf16 or wrong.
Accuracy accuracy_of_bits(double bits, at::ScalarType type);

// The class of an output that is as good as its type: fp64, fp32, fp16 or bf16.
Accuracy accuracy_of_type(at::ScalarType type);

}  // namespace kbx
