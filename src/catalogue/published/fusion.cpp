// SPDX-License-Identifier: Apache-2.0
// The calls that the published tests of this category make. Written by tools/published; do not edit.
#include "catalogue/published/published.h"

// clang-format off
namespace kbx {

std::span<const Published> published_fusion() {
  static const Published rows[] = {
      {"fused_add_mean",
       {
           "input=values(1.0,2.0,3.0)[3] other=values(0.5,0.5,0.5)[3]",
           "input=values(1.0,2.0,3.0)[3] other=0.5 alpha=2",
           "input=values(1.0,2.0,3.0,4.0)[2,2] other=values(0.5,0.5,0.5,0.5)[2,2] dim=0",
           "input=values(1.0,2.0,3.0,4.0)[2,2] other=values(0.5,0.5,0.5,0.5)[2,2] dim=1 keepdim=true",
           "input=randn[128,256] other=randn[128,256] dim=none alpha=0.5 keepdim=true",
           "input=randn[128,256]@draw(2) other=randn[128,256] dim=none alpha=0.5 keepdim=true",
           "input=randn[128,256] other=randn[128,256] dim=0 alpha=0.5 keepdim=true",
           "input=randn[128,256]@draw(2) other=randn[128,256] dim=0 alpha=0.5 keepdim=true",
           "input=randn[128,256] other=randn[128,256] dim=1 alpha=0.5 keepdim=true",
           "input=randn[128,256]@draw(2) other=randn[128,256] dim=1 alpha=0.5 keepdim=true",
           "input=randn[128,256]@spike(0.001,10) other=randn[128,256]@spike(0.001,10) dim=none alpha=0.5 keepdim=true",
           "input=randn[128,256]@draw(2)@spike(0.001,10) other=randn[128,256]@spike(0.001,10) dim=none alpha=0.5 keepdim=true",
           "input=randn[128,256]@spike(0.001,10) other=randn[128,256]@spike(0.001,10) dim=0 alpha=0.5 keepdim=true",
           "input=randn[128,256]@draw(2)@spike(0.001,10) other=randn[128,256]@spike(0.001,10) dim=0 alpha=0.5 keepdim=true",
           "input=randn[128,256]@spike(0.001,10) other=randn[128,256]@spike(0.001,10) dim=1 alpha=0.5 keepdim=true",
           "input=randn[128,256]@draw(2)@spike(0.001,10) other=randn[128,256]@spike(0.001,10) dim=1 alpha=0.5 keepdim=true",
       },
       "",
       {}},
      {"fused_hstack_div",
       {
           "tensors=[values(1,2)[2]:i64,values(3,4)[2]:i64] divisor=2",
           "tensors=[values(1.5,2.5)[2],values(3.5,4.5)[2]] divisor=2 rounding_mode=floor",
           "tensors=[values(1.5,2.5)[2],values(3.5,4.5)[2]] divisor=2 rounding_mode=trunc",
           "tensors=[randn[128,64],randn[128,64]] divisor=2.0",
           "tensors=[randn[128,64]@draw(2),randn[128,64]] divisor=2.0",
           "tensors=[randn[128,64],randn[128,64]] divisor=2.0 rounding_mode=floor",
           "tensors=[randn[128,64]@draw(2),randn[128,64]] divisor=2.0 rounding_mode=floor",
           "tensors=[randn[128,64]@spike(0.001,10),randn[128,64]@spike(0.001,10)] divisor=2.0",
           "tensors=[randn[128,64]@draw(2)@spike(0.001,10),randn[128,64]@spike(0.001,10)] divisor=2.0",
           "tensors=[randn[128,64]@spike(0.001,10),randn[128,64]@spike(0.001,10)] divisor=2.0 rounding_mode=floor",
           "tensors=[randn[128,64]@draw(2)@spike(0.001,10),randn[128,64]@spike(0.001,10)] divisor=2.0 rounding_mode=floor",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
