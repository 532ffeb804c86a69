// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Quantization make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_quantization() {
  static const Published rows[] = {
      {"matmul_w8a8",
       {
           "input=values(1.0,2.0)[1,2] weight=values(1.0,0.0,-1.0,2.0,0.0,3.0)[2,3]",
           "input=values(127.0)[1,1] weight=values(-127.0)[1,1]",
           "input=values(1.0,1.0)[1,2] weight=values(100.0,0.01,-0.01,0.01,-100.0,0.01)[2,3]",
           "input=values(1.0,-1.0)[1,2] weight=values(0.0,-0.0,-0.0,1.0)[2,2]",
           "input=randn[32,256] weight=randn[256,128]",
           "input=randn[64,128] weight=randn[128,64]",
           "input=randn[32,256]@spike(0.001,10) weight=randn[256,128]@spike(0.001,10)",
           "input=randn[64,128]@spike(0.001,10) weight=randn[128,64]@spike(0.001,10)",
       },
       "",
       {0.95, 0.05, 0.1}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
