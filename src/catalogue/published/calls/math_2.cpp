// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Math make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_math_2() {
  static const Published rows[] = {
      {"rsqrt",
       {
           "input=values(4.0,16.0,25.0)[3]",
           "input=values(0.0,1.0,4.0)[3]",
           "input=values(-1.0,4.0,9.0)[3]",
           "input=values(0.0,0.0,0.0)[3]",
           "input=randn[64,64]",
           "input=randn[64,64]@draw(2)",
       },
       "",
       {}},
      {"signbit",
       {
           "input=values(1.0,-1.0,0.0,-0.0)[4]",
           "input=values(3.5,2.2,0.1)[3]",
           "input=values(-3.5,-2.2,-0.1)[3]",
           "input=values(10000000000.0,-10000000000.0,1e-10,-1e-10)[4]",
           "input=randn[64,64]",
           "input=randn[64,64]@spike(0.001,10)",
       },
       "",
       {}},
      {"signbit_bitwise_and",
       {
           "input=values(0.7,-1.2,0.0,2.3)[4] other=values(1,0,1,1)[4]:i8",
           "input=values(-0.7,-1.2,-0.1,-2.3)[4] other=values(1,1,1,1)[4]:i8",
           "input=values(0.0,1.2,0.0,2.3)[4] other=values(1,0,1,1)[4]:bool",
           "input=values(0.0,0.0,0.0,0.0)[4] other=values(1,0,1,1)[4]:i8",
           "input=randn[1024] other=randint(0,2)[1024]:i8",
           "input=randn[1024] other=bernoulli(0.5)[1024]:bool",
           "input=randn[1024]@spike(0.001,10) other=randint(0,2)[1024]:i8",
           "input=randn[1024]@spike(0.001,10) other=bernoulli(0.5)[1024]:bool",
       },
       "",
       {}},
      {"softmax",
       {
           "input=values(1.0,2.0,3.0,1.0,2.0,3.0)[2,3] * dim=1",
           "input=values(1.0,2.0,3.0,1.0,2.0,3.0)[2,3] * dim=0",
           "input=values(1.0,2.0,3.0,1.0,2.0,3.0)[2,3] * dim=1 dtype=f64",
           "input=randn[100,100] * dim=1",
           "input=randn[64,128] * dim=0",
           "input=randn[64,128] * dim=1",
           "input=randn[64,128] * dim=-1",
           "input=randn[64,128]@spike(0.001,10) * dim=0",
           "input=randn[64,128]@spike(0.001,10) * dim=1",
           "input=randn[64,128]@spike(0.001,10) * dim=-1",
       },
       "",
       {}},
      {"sqrt_exp",
       {
           "input=values(0.25,1.0,4.0,9.0)[4]",
           "input=zeros[0]",
           "input=values(0.0,0.0,0.0)[3]",
           "input=values(0.25,1.0,4.0,9.0)[4] out=values(9.99982e-11,-1e-10,10000000000.0,-10000000000.0)[4]",
           "input=randn[64,64]",
           "input=randn[64,64] out=randn[64,64]",
           "input=randn[64,64]@draw(2)",
           "input=randn[64,64]@draw(2) out=randn[64,64]",
       },
       "",
       {}},
      {"sqrt_tanh",
       {
           "input=values(4.0,9.0,16.0)[3]",
           "input=values(-4.0,-9.0,-16.0)[3]",
           "input=values(4.0,-9.0,16.0,-1.0)[4]",
           "input=values(0.0,0.0,0.0)[3]",
           "input=randn[64,64]",
           "input=randn[64,64]@draw(2)",
       },
       "",
       {}},
      {"sub",
       {
           "input=values(1.0,2.0,3.0)[3] other=values(0.5,1.0,1.5)[3]",
           "input=values(4.0,5.0,6.0)[3] other=values(1.0,1.0,1.0)[3] alpha=2",
           "input=values(7.0,8.0,9.0)[3] other=2.0",
           "input=values(10.0,11.0,12.0)[3] other=values(3.0,3.0,3.0)[3] out=values(1.0,2.0,3.0)[3]",
           "input=randn[64,64] other=randn[64,64] alpha=1.0",
           "input=randn[64,64]@spike(0.001,10) other=randn[64,64]@spike(0.001,10) alpha=1.0",
       },
       "",
       {}},
      {"trunc",
       {
           "input=values(1.5,-2.7,3.3,-4.8)[4]",
           "input=values(0.0,2.9,5.1)[3]",
           "input=values(12345.7,-98765.4)[2]",
           "input=values(-0.1,0.0,0.1,-1.9,1.9)[5]",
           "input=randn[64,64]",
           "input=randn[64,64]@spike(0.001,10)",
       },
       "",
       {}},
      {"zeta",
       {
           "input=values(2.0,3.0)[2] other=values(1.0,2.0)[2]",
           "input=values(10.0,20.0)[2] other=values(5.0,10.0)[2]",
           "input=values(2.5,3.5)[2] other=values(1.5,2.5)[2]",
           "input=values(-2.0,-3.0)[2] other=values(1.0,2.0)[2]",
           "input=randn[64,64] other=randn[64,64]",
           "input=randn[64,64]@draw(2) other=randn[64,64]",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
