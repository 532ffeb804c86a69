// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category MatrixMultiply make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_matrix_multiply() {
  static const Published rows[] = {
      {"matmul",
       {
           "tensor1=values(1.0,2.0,3.0,4.0)[2,2] tensor2=values(5.0,6.0,7.0,8.0)[2,2]",
           "tensor1=values(1.0,2.0)[2] tensor2=values(3.0,4.0,5.0,6.0)[2,2]",
           "tensor1=values(1.0,2.0,3.0,4.0)[2,2] tensor2=values(5.0,6.0)[2]",
           "tensor1=values(1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0)[2,2,2] tensor2=values(9.0,10.0,11.0,12.0,13.0,14.0,15.0,16.0)[2,2,2]",
           "tensor1=randn[64,128] tensor2=randn[128,32]",
           "tensor1=randn[64,128]@draw(2) tensor2=randn[128,32]",
           "tensor1=randn[64,128]@spike(0.001,10) tensor2=randn[128,32]@spike(0.001,10)",
           "tensor1=randn[64,128]@draw(2)@spike(0.001,10) tensor2=randn[128,32]@spike(0.001,10)",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
