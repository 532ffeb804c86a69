// SPDX-License-Identifier: Apache-2.0
// The calls that the published tests of this category make. Written by tools/published; do not edit.
#include "catalogue/published/published.h"

// clang-format off
namespace kbx {

std::span<const Published> published_random() {
  static const Published rows[] = {
      {"rand",
       {
           "size=[2,3]",
           "size=[2,3] dtype=f64",
           "size=[2,3]",
           "size=[2,3] requires_grad=true",
           "size=[128,256]",
           "size=[128,256]",
           "size=[128,256]",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
