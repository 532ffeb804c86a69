// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category SpatialOps make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_spatial_ops() {
  static const Published rows[] = {
      {"grid_sample",
       {
           "input=uniform[1,3,4,4] grid=values(0.944482,0.581939,-0.0619184,-0.34,-0.331041,-0.243451,0.527968,0.280972)[1,2,2,2]",
           "input=uniform[1,3,4,4] grid=values(0.944482,0.581939,-0.0619184,-0.34,-0.331041,-0.243451,0.527968,0.280972)[1,2,2,2] mode=nearest padding_mode=border",
           "input=uniform[1,3,4,4,4] grid=values(0.574736,-0.731188,-0.56208,0.638587,0.393795,0.460864,-0.534491,0.805659,-0.220004,0.235409,0.00241709,-0.534088,0.796939,-0.0211164,0.430396,0.393752,-0.277533,-0.0681662,0.60222,-0.520278,-0.820678,0.798596,0.168929,0.76403)[1,2,2,2,3] padding_mode=reflection",
           "input=uniform[1,3,4,4,4] grid=values(0.574736,-0.731188,-0.56208,0.638587,0.393795,0.460864,-0.534491,0.805659,-0.220004,0.235409,0.00241709,-0.534088,0.796939,-0.0211164,0.430396,0.393752,-0.277533,-0.0681662,0.60222,-0.520278,-0.820678,0.798596,0.168929,0.76403)[1,2,2,2,3] mode=nearest align_corners=true",
           "input=randn[2,3,32,32] grid=uniform(-1.0,1.0)[2,16,16,2] mode=bilinear padding_mode=zeros align_corners=false",
           "input=randn[2,3,32,32]@draw(2) grid=uniform(-1.0,1.0)[2,16,16,2] mode=bilinear padding_mode=zeros align_corners=false",
           "input=randn[2,3,32,32]@spike(0.001,10) grid=uniform(-1.0,1.0)[2,16,16,2] mode=bilinear padding_mode=zeros align_corners=false",
           "input=randn[2,3,32,32]@draw(2)@spike(0.001,10) grid=uniform(-1.0,1.0)[2,16,16,2] mode=bilinear padding_mode=zeros align_corners=false",
       },
       "",
       {},
       {
           "input=randn[16,3,256,256] grid=randn[16,128,128,2]",
           "input=randn[16,3,512,512] grid=randn[16,256,256,2]",
           "input=randn[16,3,1024,1024] grid=randn[16,512,512,2]",
           "input=randn[16,3,2048,2048] grid=randn[16,1024,1024,2]",
       }},
      {"grid_sample_with_affine",
       {
           "input=randn[1,3,64,64] theta=values(1,0,0,0,1,0)[1,2,3]:i64 size=[1,3,64,64]",
           "input=randn[1,3,64,64] theta=values(1,0,0,0,1,0)[1,2,3]:i64 size=[1,3,64,64] mode=nearest",
           "input=randn[1,3,64,64] theta=values(1,0,0,0,1,0)[1,2,3]:i64 size=[1,3,64,64] padding_mode=reflection",
           "input=randn[1,3,64,64] theta=values(1,0,0,0,1,0)[1,2,3]:i64 size=[1,3,64,64] align_corners=true",
       },
       "",
       {},
       {
           "input=randn[1,3,256,256] theta=values(0.180826,-0.552263,0.923813,-0.73497,1.37999,0.867631)[1,2,3] size=[1,3,32,32]",
           "input=randn[1,3,256,256] theta=values(0.351582,-1.41714,-0.834887,0.30957,-0.815362,0.726775)[1,2,3] size=[1,3,64,64]",
           "input=randn[1,3,256,256] theta=values(0.219123,0.534221,0.416348,1.42277,-0.846195,0.849406)[1,2,3] size=[1,3,128,128]",
           "input=randn[1,3,256,256] theta=values(0.241255,0.55666,-0.835532,0.564596,-1.33831,-0.278924)[1,2,3] size=[1,3,256,256]",
           "input=randn[1,3,256,256] theta=values(0.892692,-0.472033,-0.42309,1.27698,0.257119,-1.36669)[1,2,3] size=[1,3,512,512]",
           "input=randn[1,3,256,256] theta=values(0.226983,-1.83916,0.889859,-0.811101,0.949261,0.467265)[1,2,3] size=[1,3,1024,1024]",
       }},
      {"interpolate",
       {
           "input=randn[2,3,4,4] size=[8,8] mode=nearest",
           "input=randn[2,3,8,8] scale_factor=2.0 mode=bilinear align_corners=false",
           "input=randn[2,3,8,8] size=[16,16] mode=bicubic align_corners=false",
       },
       "",
       {},
       {
           "input=randn[2,3,32,32] size=[64,64] *",
           "input=randn[2,3,64,64] size=[128,128] *",
           "input=randn[2,3,128,128] size=[256,256] *",
           "input=randn[2,3,256,256] size=[512,512] *",
       }},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
