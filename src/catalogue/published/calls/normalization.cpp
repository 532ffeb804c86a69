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
      {"normalize_pairwise_distance",
       {
           "x1=values(1.0,2.0,3.0,4.0)[2,2] x2=values(1.0,2.5,2.5,4.0)[2,2] p_distance=2.0 dim_norm=0",
           "x1=values(1.0,2.0,3.0,4.0)[2,2] x2=values(1.0,2.5,2.5,4.0)[2,2] p_distance=1.0 dim_norm=0",
           "x1=randn[32,128,64] x2=randn[32,128,64] p_distance=2.0 dim_norm=1",
           "x1=randn[32,128,64] x2=randn[32,128,64] p_distance=1.0 dim_norm=1",
           "x1=randn[16,64,32] x2=randn[16,64,32] p_distance=2.0 dim_norm=1",
           "x1=randn[16,64,32] x2=randn[16,64,32] p_distance=1.0 dim_norm=1",
           "x1=randn[32,128,64]@spike(0.001,10) x2=randn[32,128,64]@spike(0.001,10) p_distance=2.0 dim_norm=1",
           "x1=randn[32,128,64]@spike(0.001,10) x2=randn[32,128,64]@spike(0.001,10) p_distance=1.0 dim_norm=1",
           "x1=randn[16,64,32]@spike(0.001,10) x2=randn[16,64,32]@spike(0.001,10) p_distance=2.0 dim_norm=1",
           "x1=randn[16,64,32]@spike(0.001,10) x2=randn[16,64,32]@spike(0.001,10) p_distance=1.0 dim_norm=1",
       },
       "",
       {}},
      {"normalized_cosine_similarity",
       {
           "x1=values(1.0,2.0,3.0,4.0)[2,2] x2=values(2.0,3.0,4.0,5.0)[2,2]",
           "x1=values(1.0,2.0,3.0)[1,3] x2=values(2.0,3.0,4.0)[1,3] dim=0",
           "x1=values(1.0,0.0,0.0,1.0)[2,2] x2=values(0.0,1.0,1.0,0.0)[2,2] p_norm=1",
           "x1=values(1e-10,0.0,0.0,1e-10)[2,2] x2=values(0.0,1e-10,1e-10,0.0)[2,2] eps_norm=1e-10",
           "x1=randn[256,128] x2=randn[256,128] dim=1",
           "x1=randn[256,128] x2=randn[256,128] dim=1 p_norm=1",
           "x1=randn[128,256] x2=randn[128,256] dim=1",
           "x1=randn[128,256] x2=randn[128,256] dim=1 p_norm=1",
           "x1=randn[256,128]@spike(0.001,10) x2=randn[256,128]@spike(0.001,10) dim=1",
           "x1=randn[256,128]@spike(0.001,10) x2=randn[256,128]@spike(0.001,10) dim=1 p_norm=1",
           "x1=randn[128,256]@spike(0.001,10) x2=randn[128,256]@spike(0.001,10) dim=1",
           "x1=randn[128,256]@spike(0.001,10) x2=randn[128,256]@spike(0.001,10) dim=1 p_norm=1",
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
      {"symmetric_matrix_vector_norm",
       {
           "A=values(2.0,1.0,1.0,2.0)[2,2] x=values(1.0,1.0)[2] alpha=1.0 beta=1.0",
           "A=values(2.0,1.0,1.0,2.0)[2,2] x=values(1.0,1.0)[2] alpha=2.0 beta=0.5",
           "A=values(2.0,1.0,1.0,2.0)[2,2] x=values(1.0,1.0)[2] alpha=1.0 beta=1.0 p=1.0 *",
           "A=values(4.0,1.0,2.0,1.0,3.0,1.0,2.0,1.0,3.0)[3,3] x=values(1.0,2.0,3.0)[3] alpha=1.5 beta=0.5",
           "A=spd(1)[128,128] x=randn[128] * alpha=1.0 beta=0.5 p=2.0",
           "A=spd(1)[128,128] x=randn[128] * alpha=1.0 beta=1.0 p=1.0",
           "A=spd(1)[256,256] x=randn[256] * alpha=1.0 beta=0.5 p=2.0",
           "A=spd(1)[256,256] x=randn[256] * alpha=1.0 beta=1.0 p=1.0",
           "A=spd(1)[128,128] x=randn[128]@spike(0.001,10) * alpha=1.0 beta=0.5 p=2.0",
           "A=spd(1)[128,128] x=randn[128]@spike(0.001,10) * alpha=1.0 beta=1.0 p=1.0",
           "A=spd(1)[256,256] x=randn[256]@spike(0.001,10) * alpha=1.0 beta=0.5 p=2.0",
           "A=spd(1)[256,256] x=randn[256]@spike(0.001,10) * alpha=1.0 beta=1.0 p=1.0",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
