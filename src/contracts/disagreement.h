// SPDX-License-Identifier: Apache-2.0
// A cheap look at two results of the same type, before anything is asked about single elements.
#pragma once

#include <ATen/core/Tensor.h>

namespace kbx {

// Whether some element differs by more than `most` (complex: in one of its parts), or is not a finite number in either, as a
// 0-dim bool tensor that nobody has waited for. With `most` = 0 equal infinities agree, NaN never does. The difference is
// rounded to the tensors' own type, so near `most` the answer may be either. REQUIRES: equal shapes, types and devices, some
// elements.
at::Tensor exceeds(const at::Tensor& a, const at::Tensor& b, double most);

}  // namespace kbx
