// SPDX-License-Identifier: Apache-2.0
// Where the elements of an input lie in memory. All functions keep sizes, dtype and contents.
#pragma once

#include <ATen/core/Tensor.h>

namespace kbx {

// A copy with the same strides and storage offset, on `device` (default: where it is). Shares no storage.
at::Tensor copy_with_layout(const at::Tensor& tensor, std::optional<at::Device> device = std::nullopt);

// What unwritten memory is filled with: NaN, the largest integer, true.
at::Scalar poison_for(at::ScalarType dtype);

// Every second element of memory along the last dimension; poison lies between. REQUIRES: at least one dimension.
at::Tensor strided(const at::Tensor& tensor);
// The last two dimensions are stored in the other order. REQUIRES: at least two dimensions.
at::Tensor transposed(const at::Tensor& tensor);
// The storage starts one element earlier, so that the first element is aligned to its own size only.
at::Tensor offset_by_one(const at::Tensor& tensor);

}  // namespace kbx
