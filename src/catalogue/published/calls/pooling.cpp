// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Pooling make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_pooling() {
  static const Published rows[] = {
      {"adaptive_avg_pool2d",
       {
           "input=randn[1,64,8,9] output_size=5",
           "input=randn[1,64,8,9] output_size=[5,7]",
           "input=randn[64,8,9] output_size=5",
           "input=randn[64,8,9] output_size=[5,7]",
       },
       "",
       {},
       {
       }},
      {"avg_pool1d",
       {
           "input=randn[2,4,16] * kernel_size=2",
           "input=randn[2,4,32] * kernel_size=4 stride=2",
           "input=randn[2,4,16] * kernel_size=3 stride=1 padding=1",
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
