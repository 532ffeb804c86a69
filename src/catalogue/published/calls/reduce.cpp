// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Reduce make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_reduce() {
  static const Published rows[] = {
      {"argmax",
       {
           "input_tensor=values(1,3,2,4,0,5)[2,3]:i64 * dim=0",
           "input_tensor=values(1,3,2,4,0,5)[2,3]:i64 * dim=1",
           "input_tensor=values(1,2,3,4,5,6,7,8,9,10,11,12)[2,2,3]:i64 * dim=2",
           "input_tensor=values(1,2,3,4,5,6,7,8,9,10,11,12)[2,2,3]:i64 * dim=1 keepdim=true",
           "input_tensor=randn[128,256] * dim=0",
           "input_tensor=randn[128,256] * dim=1",
           "input_tensor=randn[8,16,32] * dim=2",
           "input_tensor=randn[8,16,32] * dim=1 keepdim=true",
           "input_tensor=randn[128,256]@spike(0.001,10) * dim=0",
           "input_tensor=randn[128,256]@spike(0.001,10) * dim=1",
           "input_tensor=randn[8,16,32]@spike(0.001,10) * dim=2",
           "input_tensor=randn[8,16,32]@spike(0.001,10) * dim=1 keepdim=true",
       },
       "",
       {}},
      {"mean",
       {
           "input_tensor=values(1.0,2.0,3.0,4.0)[2,2] * dim=0",
           "input_tensor=values(1.0,2.0,3.0,4.0)[2,2] * dim=1 keepdim=true",
           "input_tensor=values(1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0)[2,2,2] * dim=[0,2]",
           "input_tensor=values(1,2,3,4)[2,2]:i32 * dim=0 dtype=f32",
           "input_tensor=randn[128,256] * dim=0",
           "input_tensor=randn[128,256] * dim=1 keepdim=true",
           "input_tensor=randn[8,16,32] * dim=[0,2]",
           "input_tensor=randn[128,256]@spike(0.001,10) * dim=0",
           "input_tensor=randn[128,256]@spike(0.001,10) * dim=1 keepdim=true",
           "input_tensor=randn[8,16,32]@spike(0.001,10) * dim=[0,2]",
       },
       "",
       {}},
      {"min",
       {
           "input_tensor=values(1,2,3,4,0,6)[2,3]:i64 * dim=0",
           "input_tensor=values(1,2,3,4,0,6)[2,3]:i64 * dim=1",
           "input_tensor=values(1,2,3,4,0,6,7,8,9,10,11,12)[2,2,3]:i64 * dim=2 keepdim=true",
           "input_tensor=values(1,2,3,0,4,5)[6]:i64 * dim=0",
           "input_tensor=randn[128,256] * dim=0",
           "input_tensor=randn[128,256] * dim=1",
           "input_tensor=randn[8,16,32] * dim=2 keepdim=true",
           "input_tensor=randn[128,256]@spike(0.001,10) * dim=0",
           "input_tensor=randn[128,256]@spike(0.001,10) * dim=1",
           "input_tensor=randn[8,16,32]@spike(0.001,10) * dim=2 keepdim=true",
       },
       "",
       {}},
      {"min_gelu",
       {
           "input=values(1.0,-0.5,0.0,2.0)[4]",
           "input=values(1.0,-0.5,0.0,2.0)[2,2] dim=1",
           "input=values(1.0,-0.5,0.0,2.0)[2,2] dim=1 keepdim=true",
           "input=values(1.0,-0.5,0.0,2.0)[4] approximate=tanh",
           "input=randn[4096]",
           "input=randn[128,256] dim=1",
           "input=randn[128,256] dim=1 keepdim=true",
           "input=randn[4096] approximate=tanh",
           "input=randn[4096]@spike(0.001,10)",
           "input=randn[128,256]@spike(0.001,10) dim=1",
           "input=randn[128,256]@spike(0.001,10) dim=1 keepdim=true",
           "input=randn[4096]@spike(0.001,10) approximate=tanh",
       },
       "",
       {}},
      {"std",
       {
           "input=values(1.0,2.0,3.0,4.0,5.0)[5]",
           "input=values(1.0,2.0,3.0,4.0,5.0,6.0)[2,3] dim=0",
           "input=values(1.0,2.0,3.0,4.0,5.0,6.0)[2,3] dim=1 keepdim=true",
           "input=values(1.0,2.0,3.0,4.0,5.0)[5] correction=0",
           "input=randn[4096]",
           "input=randn[128,256] dim=0",
           "input=randn[128,256] dim=1 keepdim=true",
           "input=randn[128,256] dim=1 correction=0",
           "input=randn[4096]@spike(0.001,10)",
           "input=randn[128,256]@spike(0.001,10) dim=0",
           "input=randn[128,256]@spike(0.001,10) dim=1 keepdim=true",
           "input=randn[128,256]@spike(0.001,10) dim=1 correction=0",
       },
       "",
       {}},
      {"sum",
       {
           "input=values(1,2,3,4,5,6)[2,3]:i64 * dim=0",
           "input=values(1,2,3,4,5,6)[2,3]:i64 * dim=1 keepdim=true",
           "input=values(1,2,3,4,5,6,7,8)[2,2,2]:i64 * dim=[0,2]",
           "input=values(1.0,2.0,3.0,4.0)[2,2] * dim=1 dtype=f64",
           "input=randn[32,64,128] * dim=[1,2]",
           "input=randn[32,64,128]@draw(2) * dim=[1,2]",
           "input=randn[32,64,128]@spike(0.001,10) * dim=[1,2]",
           "input=randn[32,64,128]@draw(2)@spike(0.001,10) * dim=[1,2]",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
