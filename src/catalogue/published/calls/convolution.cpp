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
       {},
       {
           "input=randn[2,16,16,16] weight=randn[32,16,3,3] bias=values(2.5441,-0.716349,-0.493369,0.126711,0.101357,-0.403533,0.902259,0.80993,-0.688379,0.137244,1.03774,0.0925456,-0.375182,-0.0908175,2.06391,-1.81638,-0.271881,0.281126,-1.03986,0.776526,0.881422,0.0443803,-1.48705,1.13343,1.32683,-1.26157,0.950093,-0.655771,0.909775,-0.628992,-0.658683,2.08112)[32] *",
           "input=randn[4,32,16,16] weight=randn[64,32,3,3] bias=randn[64] *",
           "input=randn[8,64,16,16] weight=randn[128,64,3,3] bias=randn[128] *",
           "input=randn[16,128,16,16] weight=randn[256,128,3,3] bias=randn[256] *",
           "input=randn[32,256,16,16] weight=randn[512,256,3,3] bias=randn[512] *",
           "input=randn[64,512,16,16] weight=randn[1024,512,3,3] bias=randn[1024] *",
           "input=randn[128,1024,16,16] weight=randn[2048,1024,3,3] bias=randn[2048] *",
       }},
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
       {},
       {
           "input=randn[2,8,16,16] weight=randn[8,16,3,3] bias=values(2.5441,-0.716349,-0.493369,0.126711,0.101357,-0.403533,0.902259,0.80993,-0.688379,0.137244,1.03774,0.0925456,-0.375182,-0.0908175,2.06391,-1.81638)[16] stride=2 padding=1 output_padding=1 groups=1 dilation=1 *",
           "input=randn[2,16,16,16] weight=randn[16,32,3,3] bias=values(0.219123,0.534221,0.416348,1.42277,-0.846195,0.849406,-0.279328,-1.12411,-1.60426,0.277646,-1.42228,-0.904299,0.465696,1.31333,0.153206,0.67094,0.669555,-2.02494,0.479787,-2.44514,0.151368,-0.57856,0.367168,1.13563,2.56314,-1.29632,0.152125,-1.95004,0.526495,0.697551,0.314287,-1.70983)[32] stride=2 padding=1 output_padding=1 groups=1 dilation=1 *",
           "input=randn[2,32,16,16] weight=randn[32,64,3,3] bias=randn[64] stride=2 padding=1 output_padding=1 groups=1 dilation=1 *",
           "input=randn[2,64,16,16] weight=randn[64,128,3,3] bias=randn[128] stride=2 padding=1 output_padding=1 groups=1 dilation=1 *",
           "input=randn[2,128,16,16] weight=randn[128,256,3,3] bias=randn[256] stride=2 padding=1 output_padding=1 groups=1 dilation=1 *",
           "input=randn[2,256,16,16] weight=randn[256,512,3,3] bias=randn[512] stride=2 padding=1 output_padding=1 groups=1 dilation=1 *",
       }},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
