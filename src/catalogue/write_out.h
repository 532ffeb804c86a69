// SPDX-License-Identifier: Apache-2.0
// For references of operators that have no `out` of their own.
#pragma once

#include "catalogue/task.h"

namespace kbx {

// The result, or the call's `out` with the result written into it where it is given.
inline Values written(const Args& a, const at::Tensor& result) {
  if (auto out = a.maybe_tensor("out")) return {out->copy_(result)};
  return {result};
}

}  // namespace kbx
