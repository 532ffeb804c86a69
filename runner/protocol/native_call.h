// SPDX-License-Identifier: Apache-2.0
// What a native function is called with: both the judge, which lays a call out, and the baseline, which binds it, follow this.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace kbx {

// Whether a native function takes the schema's argument of this name. It gets destinations instead of `out`, and the stream
// of its environment; where things are allocated is the judge's affair.
inline bool is_native_argument(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNotNative = {"out",    "out_tensor",    "generator", "layout",
                                                          "device", "requires_grad", "pin_memory"};
  return std::find(kNotNative.begin(), kNotNative.end(), name) == kNotNative.end();
}

}  // namespace kbx
