// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Random make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_random() {
  static const Published rows[] = {
      {"logspace",
       {
           "start=1.0 end=3.0 steps=5 device=cuda",
           "start=0.0 end=4.0 steps=5 base=2.0 device=cuda",
           "start=1.0 end=2.0 steps=4 dtype=f64 device=cuda",
           "start=1.0 end=3.0 steps=3 requires_grad=true device=cuda",
       },
       "",
       {},
       {
       }},
      {"rand",
       {
           "size=[2,3] device=cuda",
           "size=[2,3] dtype=f64 device=cuda",
           "size=[2,3] device=cuda",
           "size=[2,3] requires_grad=true device=cuda",
           "size=[128,256] device=cuda",
           "size=[128,256] device=cuda",
           "size=[128,256] device=cuda",
       },
       "",
       {},
       {
       }},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
