// SPDX-License-Identifier: Apache-2.0
// The calls that the published tests of this category make. Written by tools/published; do not edit.
#include "catalogue/published/published.h"

// clang-format off
namespace kbx {

std::span<const Published> published_optimizer() {
  static const Published rows[] = {
      {"Adam",
       {
       },
       "call 1: the result is an object of class Adam; call 2: the result is an object of class Adam; call 3: the result is an object of class Adam; call 4: the result is an object of class Adam",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
