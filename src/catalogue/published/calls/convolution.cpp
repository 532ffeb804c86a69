// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Convolution make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_convolution() {
  static const Published rows[] = {
      {"conv2d",
       {
           "input=randn[1,3,5,5] weight=randn[2,3,3,3]",
           "input=randn[1,3,5,5] weight=randn[2,3,3,3] stride=2",
           "input=randn[1,3,5,5] weight=randn[2,3,3,3] padding=1",
           "input=randn[1,3,5,5] weight=randn[2,3,3,3] dilation=2",
           "input=randn[2,3,16,16] weight=randn[4,3,3,3] stride=2 padding=1",
           "input=randn[2,3,16,16]@draw(2) weight=randn[4,3,3,3] stride=2 padding=1",
           "input=randn[2,3,16,16]@spike(0.001,20) weight=randn[4,3,3,3]@spike(0.001,20) stride=2 padding=1",
           "input=randn[2,3,16,16]@draw(2)@spike(0.001,20) weight=randn[4,3,3,3]@spike(0.001,20) stride=2 padding=1",
       },
       "",
       {}},
      {"conv_transpose2d",
       {
           "input=randn[1,4,8,8] weight=randn[4,6,3,3]",
           "input=randn[1,4,8,8] weight=randn[4,6,3,3] bias=values(-0.345167,0.627332,0.571539,-0.285466,0.0376427,-1.03022)[6] stride=2 padding=1 output_padding=1",
           "input=randn[2,4,8,8] weight=randn[4,2,3,3] groups=2",
           "input=randn[2,8,16,16] weight=randn[8,6,3,3] stride=2 padding=1 output_padding=1",
           "input=randn[2,8,16,16]@draw(2) weight=randn[8,6,3,3] stride=2 padding=1 output_padding=1",
           "input=randn[2,8,16,16]@spike(0.001,20) weight=randn[8,6,3,3]@spike(0.001,20) stride=2 padding=1 output_padding=1",
           "input=randn[2,8,16,16]@draw(2)@spike(0.001,20) weight=randn[8,6,3,3]@spike(0.001,20) stride=2 padding=1 output_padding=1",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
