// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Normalization make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_normalization() {
  static const Published rows[] = {
      {"batch_norm",
       {
           "input=randn[2,3,4,4] running_mean=values(0.0,0.0,0.0)[3] running_var=values(1.0,1.0,1.0)[3]",
           "input=randn[2,3,4,4] running_mean=values(0.0,0.0,0.0)[3] running_var=values(1.0,1.0,1.0)[3] training=true",
           "input=randn[2,3,4,4] running_mean=values(0.0,0.0,0.0)[3] running_var=values(1.0,1.0,1.0)[3] weight=values(0.351582,-1.41714,-0.834887)[3] bias=values(-0.345167,0.627332,0.571539)[3] *",
           "input=randn[2,3,4,4] running_mean=values(0.0,0.0,0.0)[3] running_var=values(1.0,1.0,1.0)[3] momentum=0.2 eps=0.001",
           "input=randn[4,8,16,16] running_mean=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0)[8] running_var=values(1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0)[8] weight=randn[8] bias=randn[8] * training=true",
           "input=randn[4,8,16,16]@draw(2) running_mean=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0)[8] running_var=values(1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0)[8] weight=randn[8] bias=randn[8] * training=true",
           "input=randn[4,8,16,16]@spike(0.001,20) running_mean=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0)[8] running_var=values(1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0)[8] weight=randn[8] bias=randn[8] * training=true",
           "input=randn[4,8,16,16]@draw(2)@spike(0.001,20) running_mean=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0)[8] running_var=values(1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0)[8] weight=randn[8] bias=randn[8] * training=true",
       },
       "",
       {}},
      {"spectral_norm_eig",
       {
           "A=values(1.0,2.0,3.0,4.0)[2,2]",
           "A=values(1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0)[2,2,2]",
           "A=values(1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0)[3,3]",
           "A=values(1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,9.0,8.0,7.0,6.0,5.0,4.0,3.0,2.0,1.0)[2,3,3]",
           "A=randn[16,32,32]",
           "A=randn[32,32]",
           "A=randn[8,64,64]",
           "A=randn[64,64]",
           "A=randn[16,32,32]@spike(0.001,10)",
           "A=randn[32,32]@draw(2)",
           "A=randn[8,64,64]@spike(0.001,10)",
           "A=randn[64,64]@draw(2)",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
