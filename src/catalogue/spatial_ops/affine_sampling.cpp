// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/affine_grid_generator.h>
#include <ATen/ops/grid_sampler.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// Modes are numbered as ATen numbers them.
int64_t position(std::initializer_list<std::string_view> names, const std::string& name) {
  auto found = std::find(names.begin(), names.end(), name);
  TORCH_CHECK(found != names.end(), "'", name, "' is no mode of grid_sample_with_affine");
  return found - names.begin();
}

Values sampled(const Args& a) {
  const at::Tensor input = a.tensor("input");
  const bool align_corners = a.flag("align_corners");
  const at::Tensor theta = a.tensor("theta").to(input.scalar_type());
  const at::Tensor grid = at::affine_grid_generator(theta, a.ints("size"), align_corners);
  return {at::grid_sampler(input, grid, position({"bilinear", "nearest", "bicubic"}, a.text("mode")),
                           position({"zeros", "border", "reflection"}, a.text("padding_mode")), align_corners)};
}

}  // namespace

std::span<const Task> affine_sampling_family() {
  static const Task tasks[] = {
      {.id = "grid_sample_with_affine",
       .category = Category::spatial_ops,
       .difficulty = 3,
       .schema = "grid_sample_with_affine(Tensor input, Tensor theta, int[] size, str mode='bilinear', str padding_mode='zeros', "
                 "bool align_corners=False) -> Tensor",
       .summary =
           "Samples images (N, C, H, W) at places given by an affine map for each of them. size is (N, C, H_out, W_out), the "
           "shape of the result. theta [N, 2, 3], floating or integer, maps a place (X, Y) of the result to the place (x, y) of "
           "the input; places run from -1 to 1 between the outer edges of the border elements, with align_corners between their "
           "centres. mode: bilinear, nearest (ties to even) or bicubic (a = -0.75, also reading places outside by the padding). "
           "padding_mode for places outside: zeros, border (the nearest element of the border), or reflection (at the outer "
           "edges; with align_corners at the centres of the border elements).",
       .math = "X[j] = (2 j + 1) / W_out - 1, with align_corners 2 j / (W_out - 1) - 1, and 0 where W_out is 1; Y[i] likewise\n"
               "x = theta[0,0] X + theta[0,1] Y + theta[0,2], y = theta[1,0] X + theta[1,1] Y + theta[1,2]\n"
               "ix = ((x + 1) * W - 1) / 2, with align_corners (x + 1) / 2 * (W - 1); iy likewise\n"
               "bilinear: sum over the corners c around (ix, iy) of input[c] * (1 - |ix - cx|) * (1 - |iy - cy|)",
       .reference = sampled,
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..13 W=7..13 A=7..13 B=7..13 input=randn[2,3,H,W] theta=uniform(-1,1)[2,2,3]@fixed size=[2,3,A,B]",
               "standard: H=7..13 W=7..13 input=randn[1,3,H,W] theta=values(0.8,-0.5,0.1,0.5,0.8,-0.2)[1,2,3] size=[1,3,9,11] "
               "padding_mode=border align_corners=true",
               "standard: H=7..13 W=7..13 input=randn[2,3,H,W] theta=uniform(-1,1)[2,2,3]@fixed size=[2,3,7,9] mode=nearest",
               "standard: H=7..13 W=7..13 input=randn[2,2,H,W] theta=uniform(-2,2)[2,2,3]@fixed size=[2,2,7,9] "
               "padding_mode=reflection",
               "standard: H=7..13 W=7..13 input=randn[2,2,H,W] theta=uniform(-1,1)[2,2,3]@fixed size=[2,2,9,7] mode=bicubic",
               "standard: W=100..300 input=randn[1,1,9,W] theta=values(0.7,0.01,0.1,0.2,1.3,-0.2)[1,2,3] size=[1,1,7,513]",
               "boundary: H=7..13 input=randn[2,2,H,9]@transposed theta=uniform(-1,1)[2,2,3]@strided size=[2,2,7,11] "
               "mode=bicubic align_corners=true",
               "boundary: input=randn[2,2,7,9] theta=uniform(-2,2)[2,2,3] size=[2,2,7,9] padding_mode=reflection "
               "align_corners=true",
               "boundary: input=randn[2,2,7,9] theta=uniform(-2,2)[2,2,3] size=[2,2,7,9] mode=nearest padding_mode=border",
               "boundary: input=randn[2,2,7,9] theta=uniform(-2,2)[2,2,3] size=[2,2,7,9] mode=nearest padding_mode=reflection "
               "align_corners=true",
               "boundary: input=randn[2,2,7,9] theta=uniform(-2,2)[2,2,3] size=[2,2,7,9] mode=bicubic padding_mode=border",
               "boundary: input=randn[2,2,7,9] theta=uniform(-2,2)[2,2,3] size=[2,2,7,9] mode=bicubic padding_mode=reflection",
               "boundary: input=randn[1,3,8,8] theta=values(1,0,0,0,1,0)[1,2,3]:i64 size=[1,3,8,8]",
               "boundary: input=randn[1,3,8,8] theta=values(1,0,0,0,1,0)[1,2,3]:i64 size=[1,3,8,8] mode=nearest",
               "boundary: input=randn[1,3,8,7] theta=values(0,-1,0,1,0,0)[1,2,3]:i64 size=[1,3,7,8] align_corners=true",
               "boundary: input=randn[1,3,8,8] theta=values(1,0,0,0,1,0)[1,2,3] size=[1,3,16,16] padding_mode=border",
               "boundary: input=randn[1,3,8,8] theta=values(1,0,0.3,0,1,-0.7)[1,2,3] size=[1,3,8,8]",
               "boundary: input=randn[1,3,8,8] theta=values(-1,0,0,0,1,0)[1,2,3] size=[1,3,8,8] padding_mode=reflection",
               "boundary: input=randn[2,2,7,9] theta=values(1,0,0,0,1,0,0.5,0,0.25,0,2,-0.5)[2,2,3] size=[2,2,5,6]",
               "boundary: input=randn[1,2,7,9] theta=uniform(-1,1)[1,2,3] size=[1,2,1,5] align_corners=true",
               "boundary: input=randn[1,2,7,9] theta=uniform(-1,1)[1,2,3] size=[1,2,5,1]",
               "boundary: input=randn[1,1,1,1] theta=uniform(-1,1)[1,2,3] size=[1,1,1,1]",
               "boundary: input=randn[1,2,7,9] theta=zeros[1,2,3] size=[1,2,3,5]",
               "boundary: input=randn[1,2,7,9] theta=uniform(-50,50)[1,2,3] size=[1,2,5,7] padding_mode=border",
               "boundary: input=randn[3,2,7,9]@offset theta=uniform(-1,1)[3,2,3]@offset size=[3,2,5,7]",
               "boundary: input=randn[3,2,7,9]@strided theta=uniform(-1,1)[3,2,3]@transposed size=[3,2,5,7]",
               "boundary: input=randn[3,2,7,9]@expanded theta=uniform(-1,1)[3,2,3] size=[3,2,5,7]",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) theta=uniform(-1,1)[1,2,3] size=[1,3,5,7]",
               "boundary: input=randn[1,3,7,9]@shift(1000) theta=uniform(-1,1)[1,2,3] size=[1,3,5,7] padding_mode=border",
               "boundary: input=full(nan)[1,3,7,9] theta=uniform(-1,1)[1,2,3] size=[1,3,5,7] mode=nearest",
               "boundary: input=randn[1,3,7,9]:f64 theta=uniform(-1,1)[1,2,3]:f64 size=[1,3,5,7] mode=bicubic",
               "boundary: input=randn[1,3,7,9] theta=uniform(-1,1)[1,2,3] size=[1,3,5,7] mode=bilinear padding_mode=border "
               "align_corners=true *",
               "boundary: * input=randn[1,3,7,9] theta=uniform(-1,1)[1,2,3] size=[1,3,5,7]",
           },
       .perf = {"input=randn[1,3,256,256] theta=values(0.8,-0.5,0.1,0.5,0.8,-0.2)[1,2,3] size=[1,3,512,512]",
                "input=randn[4,3,256,257] theta=uniform(-1,1)[4,2,3] size=[4,3,256,255] padding_mode=border align_corners=true"},
       .perf_gpu =
           {"input=randn[4,3,1024,1024] theta=uniform(-1,1)[4,2,3] size=[4,3,1024,1024]",
            "input=randn[32,3,256,257] theta=uniform(-1,1)[32,2,3] size=[32,3,256,255] padding_mode=border align_corners=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 28 * outputs(out)};
       },
       .deviation =
           "The published test knows the identity alone, so that a copy of the input passes most of it. Here images are turned, "
           "scaled, sheared and moved. For mode='nearest' either neighbour is right where a coordinate is within rounding of the "
           "middle. Maps with NaN are not tested."},
  };
  return tasks;
}

}  // namespace kbx
