// SPDX-License-Identifier: Apache-2.0
// The calls that the published tests of this category make. Written by tools/published; do not edit.
#include "catalogue/published/published.h"

// clang-format off
namespace kbx {

std::span<const Published> published_linear_algebra() {
  static const Published rows[] = {
      {"svd",
       {
           "A=values(3.0,1.0,1.0,3.0)[2,2] full_matrices=true",
           "A=values(1.0,2.0,3.0,4.0,5.0,6.0)[3,2] full_matrices=false",
           "A=values(1.0,2.0,3.0,4.0,5.0,6.0)[2,3] full_matrices=true",
           "A=values(1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0)[3,3] full_matrices=false",
           "A=randn[64,32] full_matrices=true",
           "A=randn[64,32] full_matrices=false",
           "A=randn[4,64,32] full_matrices=false",
           "A=randn[64,32]@spike(0.001,10) full_matrices=true",
           "A=randn[64,32]@spike(0.001,10) full_matrices=false",
           "A=randn[4,64,32]@spike(0.001,10) full_matrices=false",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
