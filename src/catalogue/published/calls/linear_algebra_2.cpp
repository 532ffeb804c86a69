// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category LinearAlgebra make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_linear_algebra_2() {
  static const Published rows[] = {
      {"solve_symmetric_ldl",
       {
           "A=values(4.0,1.0,1.0,3.0)[2,2] b=values(1.0,2.0)[2]",
           "A=values(6.0,2.0,1.0,2.0,5.0,2.0,1.0,2.0,4.0)[3,3] b=values(1.0,2.0,3.0)[3]",
           "A=values(5.0,2.0,2.0,4.0)[2,2] b=values(1.0,2.0)[2]",
           "A=values(-4.0,1.0,1.0,-3.0)[2,2] b=values(1.0,2.0)[2]",
           "A=hermitian[16,16] b=randn[16] hermitian=false",
           "A=hermitian[16,16]:c64 b=randn[16]:c64 hermitian=true",
           "A=hermitian[16,16] b=randn[16]@spike(0.001,10) hermitian=false",
           "A=hermitian[16,16]:c64 b=randn[16]:c64@spike(0.001,10) hermitian=true",
       },
       "call 2: complex values; call 4: complex values",
       {},
       {
           "A=hermitian[8,8] b=values(0.972241,0.790969,0.469041,0.33,0.334479,0.378274,0.763984,0.640486)[8,1]",
           "A=hermitian[16,16] b=values(0.787368,0.134406,0.21896,0.819294,0.696898,0.730432,0.232755,0.90283,0.389998,0.617705,0.501209,0.232956,0.898469,0.489442,0.715198,0.696876)[16,1]",
           "A=hermitian[32,32] b=values(0.450326,0.84348,0.912161,0.199892,0.20914,0.562833,0.9127,0.531608,0.122268,0.695521,0.363228,0.622498,0.562926,0.410658,0.0735925,0.688429,0.168622,0.0855839,0.692536,0.0317911,0.845149,0.767769,0.868455,0.319812,0.0366627,0.431432,0.893797,0.060608,0.588845,0.564733,0.920172,0.187274)[32,1]",
           "A=hermitian[64,64] b=uniform[64,1]",
           "A=hermitian[128,128] b=uniform[128,1]",
           "A=hermitian[256,256] b=uniform[256,1]",
           "A=hermitian[512,512] b=uniform[512,1]",
       }},
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
       {},
       {
           "A=uniform[16,16]",
           "A=uniform[32,32]",
           "A=uniform[64,64]",
           "A=uniform[128,128]",
           "A=uniform[256,256]",
       }},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
