// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Reduction.h>
#include <c10/util/Exception.h>

#include <string>

namespace kbx {

// "none", "mean", "sum" as ATen numbers them. Throws c10::Error for another word.
inline int64_t reduction_named(const std::string& name) {
  if (name == "none") return at::Reduction::None;
  if (name == "mean") return at::Reduction::Mean;
  TORCH_CHECK(name == "sum", "'", name, "' is no reduction");
  return at::Reduction::Sum;
}

}  // namespace kbx
