// SPDX-License-Identifier: Apache-2.0
// The calls that the published tests of this category make. Written by tools/published; do not edit.
#include "catalogue/published/published.h"

// clang-format off
namespace kbx {

std::span<const Published> published_math() {
  static const Published rows[] = {
      {"add",
       {
           "input=values(1.0,2.0,3.0)[3] other=values(4.0,5.0,6.0)[3]",
           "input=values(1.0,2.0,3.0)[3] other=2.0",
           "input=values(1.0,2.0,3.0)[3] other=values(4.0,5.0,6.0)[3] alpha=0.5",
           "input=values(1.0,2.0,3.0)[3] other=2.0 alpha=0.5",
           "input=randn[256,256] other=randn[256,256]",
           "input=randn[256,256]@draw(2) other=randn[256,256]",
           "input=randn[256,256]@draw(3) other=randn[256,256]",
           "input=randn[256,256]@spike(0.001,10) other=randn[256,256]@spike(0.001,10)",
           "input=randn[256,256]@draw(2)@spike(0.001,10) other=randn[256,256]@spike(0.001,10)",
           "input=randn[256,256]@draw(3)@spike(0.001,10) other=randn[256,256]@spike(0.001,10)",
       },
       "",
       {}},
      {"exp_sqrt",
       {
           "input=values(1.0,2.0,3.0)[3]",
           "input=values(-1.0,-2.0,-3.0)[3]",
           "input=values(0.0,0.0,0.0)[3]",
           "input=values(1.0,2.0,3.0)[3] out=values(0.0,1.0,1.0)[3]",
           "input=randn[64,64]",
           "input=randn[64,64]@spike(0.001,10)",
       },
       "",
       {}},
      {"log1p",
       {
           "input=values(0.1,0.2,0.3)[3]",
           "input=values(0.0,0.5,1.0)[3]",
           "input=values(-0.1,-0.2,-0.3)[3]",
           "input=values(1.0,2.0,3.0,4.0,5.0)[5]",
           "input=randn[64,64]@clamp(-0.9,inf)",
           "input=randn[64,64]@draw(2)@clamp(-0.9,inf)",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
