// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Quantization make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_quantization() {
  static const Published rows[] = {
      {"attention_w8a8",
       {
           "query=values(-0.924662,-0.425344,-2.64385,0.145184,-0.120866,-0.579726,-0.622851,-0.328387)[1,1,8] key=values(0.180826,-0.552263,0.923813,-0.73497,1.37999,0.867631,0.129656,-0.94064)[1,1,8] value=values(2.5441,-0.716349,-0.493369,0.126711,0.101357,-0.403533,0.902259,0.80993)[1,1,8]",
           "query=values(10.0,0.0,0.0,10.0)[1,2,2] key=values(10.0,0.0,0.0,10.0)[1,2,2] value=values(0.351582,-1.41714,-0.834887,0.30957)[1,2,2]",
           "query=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0)[1,3,4] key=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0)[1,3,4] value=values(-0.345167,0.627332,0.571539,-0.285466,0.0376427,-1.03022,0.279771,0.64823,-0.167957,1.45569,0.350706,-0.268063)[1,3,4]",
           "query=randn[2,64,32] key=randn[2,64,32] value=randn[2,64,32]",
           "query=randn[1,32,16] key=randn[1,32,16] value=randn[1,32,16]",
           "query=randn[2,64,32]@spike(0.001,10) key=randn[2,64,32]@spike(0.001,10) value=randn[2,64,32]@spike(0.001,10)",
           "query=randn[1,32,16] key=randn[1,32,16]@spike(0.001,10) value=randn[1,32,16]@spike(0.001,10)",
       },
       "",
       {0.9, 0.1, 0.15},
       {
           "query=uniform[2,512,64] key=uniform[2,512,64] value=uniform[2,512,64]",
           "query=uniform[2,1024,64] key=uniform[2,1024,64] value=uniform[2,1024,64]",
           "query=uniform[2,2048,64] key=uniform[2,2048,64] value=uniform[2,2048,64]",
           "query=uniform[1,4096,64] key=uniform[1,4096,64] value=uniform[1,4096,64]",
       }},
      {"bmm_w8a8",
       {
           "input=randn[1,8,16] mat2=randn[1,16,8]",
           "input=randn[2,1,32] mat2=randn[2,32,1]",
           "input=randn[3,4,8] mat2=randn[3,8,4]",
           "input=uniform(-133.266,117.463)[2,8,16] mat2=randn[2,16,8]",
           "input=randn[2,32,64] mat2=randn[2,64,48]",
           "input=randn[1,16,32] mat2=randn[1,32,16]",
           "input=randn[2,32,64]@spike(0.001,10) mat2=randn[2,64,48]@spike(0.001,10)",
           "input=randn[1,16,32]@spike(0.001,10) mat2=randn[1,32,16]@spike(0.001,10)",
       },
       "",
       {0.95, 0.05, 0.1},
       {
           "input=uniform[2,64,128] mat2=uniform[2,128,256]",
           "input=uniform[4,128,256] mat2=uniform[4,256,512]",
           "input=uniform[8,256,512] mat2=uniform[8,512,1024]",
           "input=uniform[16,512,1024] mat2=uniform[16,1024,2048]",
       }},
      {"conv2d_w8a8",
       {
           "input=randn[1,8,4,4] weight=randn[16,8,1,1] bias=none * stride=1 padding=0",
           "input=randn[1,3,8,8] weight=randn[4,3,3,3] bias=none * stride=2 padding=0",
           "input=values(0.219123,0.534221,0.416348,1.42277,-0.846195,0.849406,-0.279328,-1.12411,-1.60426,0.277646,-1.42228,-0.904299,0.465696,1.31333,0.153206,0.67094,0.669555,-2.02494,0.479787,-2.44514,0.151368,-0.57856,0.367168,1.13563,2.56314)[1,1,5,5] weight=values(0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.45569,0.350706,-0.268063,-1.60607,0.188852,1.55532,0.863175,0.251139,1.56124)[2,1,3,3] bias=none * stride=1 padding=1",
           "input=values(-0.00768666,0.0157541,-0.00698032,0.0158763,0.00371918,-0.00280095,-0.0132793,0.00127148,-0.0019716,0.00982284,-0.00671505,-0.0192589,0.018006,-0.000202231,-0.00782104,0.0129165,-0.00935022,0.0178248,-0.00674303,-0.019435,-0.0021896,0.000541238,-0.0153872,-0.00546519,-0.0216046,0.0119571,0.0165377,-0.00674319,0.00224722,-0.00093252,0.0116048,-0.00389354)[1,2,4,4] weight=values(0.00241255,0.0055666,-0.00835532,0.00564596,-0.0133831,-0.00278924,0.00357326,-0.0174548,0.00277184,0.00101415,-0.000186374,-0.00526188,-0.000116977,-0.0234941,0.00206578,0.00357679,0.0113759,0.00316509,-0.0147353,-0.0109977,-0.00363135,0.00398278,0.000193902,0.0217164)[3,2,2,2] bias=values(100.0,-100.0,50.0)[3] * stride=1 padding=0",
           "input=randn[2,3,16,16] weight=randn[8,3,3,3] bias=values(-0.53778,0.500622,-0.252483,-0.460728,-1.64023,-1.29881,0.331839,-1.58881)[8] * stride=1 padding=1",
           "input=randn[1,16,8,8] weight=randn[16,16,1,1] bias=none * stride=1 padding=0",
           "input=randn[2,3,16,16]@spike(0.001,10) weight=randn[8,3,3,3] bias=values(0.952034,1.3426,-0.172981,-0.395318,1.11959,0.330613,0.281467,0.472992)[8] * stride=1 padding=1",
           "input=randn[1,16,8,8]@spike(0.001,10) weight=randn[16,16,1,1] bias=none * stride=1 padding=0",
       },
       "",
       {0.95, 0.05, 0.1},
       {
           "input=uniform[1,3,224,224] weight=uniform[64,3,7,7]",
           "input=uniform[2,64,56,56] weight=uniform[128,64,3,3]",
           "input=uniform[4,128,28,28] weight=uniform[256,128,3,3]",
       }},
      {"layernorm_w8a8",
       {
           "input=values(5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0,5.0)[2,8] normalized_shape=[8] weight=none bias=none * eps=1e-05",
           "input=values(1.0,1.0,1.0,1.0)[1,4] normalized_shape=[4] weight=none bias=none * eps=1e-10",
           "input=randn[3,16] normalized_shape=[16] weight=none bias=none *",
           "input=values(0.180826,-0.552263,0.923813,-0.73497,1.37999,0.867631,0.129656,-0.94064)[2,4] normalized_shape=[4] weight=values(100.0,0.01,-100.0,0.01)[4] bias=values(50.0,-50.0,0.0,100.0)[4] *",
           "input=values(2.5441,-0.716349,-0.493369,0.126711)[4,1] normalized_shape=[1] weight=none bias=none *",
           "input=randn[32,256] normalized_shape=[256] weight=randn[256] bias=randn[256] *",
           "input=randn[32,256] normalized_shape=[256] weight=none bias=none *",
           "input=randn[16,512] normalized_shape=[512] weight=randn[512] bias=randn[512] *",
           "input=randn[16,512] normalized_shape=[512] weight=none bias=none *",
           "input=randn[32,256]@spike(0.001,10) normalized_shape=[256] weight=randn[256] bias=randn[256] *",
           "input=randn[32,256]@spike(0.001,10) normalized_shape=[256] weight=none bias=none *",
           "input=randn[16,512]@spike(0.001,10) normalized_shape=[512] weight=randn[512] bias=randn[512]@spike(0.001,10) *",
           "input=randn[16,512]@spike(0.001,10) normalized_shape=[512] weight=none bias=none *",
       },
       "",
       {0.95, 0.05, 0.1},
       {
       }},
      {"linear_w4a16",
       {
           "input=values(1.0,1.0,1.0,1.0)[1,4]:f16 weight=values(7.0,-8.0,3.5,-3.5)[1,4]:f16 bias=none *",
           "input=values(1.0,1.0,1.0,1.0)[1,4]:f16 weight=values(100.0,0.0999756,0.0999756,0.0999756,0.0999756,0.0999756,0.0999756,0.0999756)[2,4]:f16 bias=none *",
           "input=values(-0.924805,-0.425293,-2.64453,0.145142,-0.12085,-0.57959,-0.623047,-0.328369)[2,4]:f16 weight=values(1.0,2.0,3.0,4.0,0.0,0.0,0.0,0.0,5.0,6.0,7.0,8.0)[3,4]:f16 bias=none *",
           "input=values(2.0,2.0,2.0,2.0)[1,4]:f16 weight=values(0.5,-0.5,1.0,-1.0)[1,4]:f16 bias=values(10.0)[1]:f16 *",
           "input=randn[16,256]:f16 weight=randn[128,256]:f16 bias=none *",
           "input=randn[8,128]:f16 weight=randn[64,128]:f16 bias=none *",
           "input=randn[16,256]:f16@spike(0.001,10) weight=randn[128,256]:f16@spike(0.001,10) bias=none *",
           "input=randn[8,128]:f16@spike(0.001,10) weight=randn[64,128]:f16@spike(0.001,10) bias=none *",
       },
       "",
       {0.9, 0.1, 0.15},
       {
           "input=uniform[1,4096]:f16 weight=uniform[4096,4096]:f16 bias=uniform[4096]:f16 *",
           "input=uniform[8,4096]:f16 weight=uniform[4096,4096]:f16 bias=uniform[4096]:f16 *",
           "input=uniform[32,4096]:f16 weight=uniform[16384,4096]:f16 bias=uniform[16384]:f16 *",
       }},
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
       {0.95, 0.05, 0.1},
       {
           "input=uniform[128,256] weight=uniform[256,512]",
           "input=uniform[256,512] weight=uniform[512,1024]",
           "input=uniform[512,1024] weight=uniform[1024,2048]",
           "input=uniform[1024,2048] weight=uniform[2048,4096]",
       }},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
