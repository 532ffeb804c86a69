// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/grid_sampler.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// Modes are numbered as ATen numbers them.
int64_t position(std::initializer_list<std::string_view> names, const std::string& name) {
  auto found = std::find(names.begin(), names.end(), name);
  TORCH_CHECK(found != names.end(), "'", name, "' is no mode of grid_sample");
  return found - names.begin();
}

Values grid_sample(const Args& a) {
  return {at::grid_sampler(a.tensor("input"), a.tensor("grid"), position({"bilinear", "nearest", "bicubic"}, a.text("mode")),
                           position({"zeros", "border", "reflection"}, a.text("padding_mode")), a.flag("align_corners"))};
}

}  // namespace

std::span<const Task> sampling_family() {
  static const Task tasks[] = {
      {.id = "grid_sample",
       .category = Category::spatial_ops,
       .difficulty = 4,
       .schema = "grid_sample(Tensor input, Tensor grid, str mode='bilinear', str padding_mode='zeros', bool "
                 "align_corners=False) -> Tensor",
       .summary =
           "Samples images (N, C, H, W) or volumes (N, C, D, H, W) at the places in grid, whose last dimension is (x, y) or "
           "(x, y, z) with -1 and 1 at the borders. mode: bilinear (trilinear for volumes), nearest (ties to even) or "
           "bicubic (images, a = -0.75). Places outside read zeros, the border, or the reflection.",
       .math = "align_corners: ix = (x + 1) / 2 * (W - 1); otherwise ix = ((x + 1) * W - 1) / 2\n"
               "bilinear: y = sum over the corners c around (ix, iy) of input[c] * (1 - |ix - cx|) * (1 - |iy - cy|)",
       .reference = grid_sample,
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..13 W=7..13 input=randn[2,3,H,W] grid=uniform(-1,1)[2,5,7,2]@fixed",
               "standard: H=7..13 W=7..13 input=randn[1,3,H,W] grid=uniform(-1.5,1.5)[1,5,9,2]@fixed padding_mode=border "
               "align_corners=true",
               "standard: H=7..13 input=randn[1,3,H,11] grid=uniform(-1,1)[1,5,9,2]@fixed mode=nearest",
               "standard: H=7..13 input=randn[1,2,H,9] grid=uniform(-2,2)[1,5,9,2]@fixed padding_mode=reflection",
               "standard: D=3..5 H=5..7 input=randn[1,2,D,H,5] grid=uniform(-1.2,1.2)[1,3,5,4,3]@fixed",
               "boundary: H=7..13 input=randn[1,2,H,9]@transposed grid=uniform(-1,1)[1,5,9,2]@fixed mode=bicubic",
               "boundary: input=randn[1,2,4,4,4] grid=uniform(-1,1)[1,2,2,3,3] mode=nearest align_corners=true",
               "boundary: input=randn[1,2,7,9] grid=uniform(-1.5,1.5)[1,5,7,2] mode=nearest padding_mode=border",
               "boundary: input=randn[1,2,7,9] grid=uniform(-3,3)[1,5,7,2] padding_mode=reflection align_corners=true",
               "boundary: input=randn[1,2,7,9] grid=uniform(-1.5,1.5)[1,5,7,2] mode=bicubic padding_mode=border "
               "align_corners=true",
               "boundary: input=randn[0,2,5,5] grid=uniform(-1,1)[0,3,3,2]",
               "boundary: input=randn[1,2,5,5] grid=uniform(-1,1)[1,0,3,2]",
               "boundary: input=randn[1,1,1,1] grid=uniform(-1,1)[1,1,1,2]",
               "boundary: input=randn[1,3,7,9] grid=values(-1,-1,1,1,0,0,-1,1,1,-1,0.5,-0.5)[1,2,3,2] align_corners=true",
               "boundary: input=randn[1,3,7,9] grid=values(-1,-1,1,1,0,0,-1,1,1,-1,0.5,-0.5)[1,2,3,2]",
               "boundary: input=randn[1,3,7,9] grid=uniform(-50,50)[1,5,7,2]",
               "boundary: input=randn[1,3,7,9]@offset grid=uniform(-1,1)[1,5,7,2]@offset",
               "boundary: input=randn[1,3,7,9]@strided grid=uniform(-1,1)[1,5,7,2]@transposed",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) grid=uniform(-1,1)[1,5,7,2]",
               "boundary: input=randn[1,3,7,9]@shift(1000) grid=uniform(-1,1)[1,5,7,2]",
               "boundary: input=randn[1,3,7,9]@poke(nan) grid=uniform(-1,1)[1,5,7,2]",
               "boundary: input=randn[1,3,7,9] grid=uniform(-1,1)[1,5,7,2] mode=bilinear padding_mode=border align_corners=true "
               "*",
           },
       .perf = {"input=randn[8,3,257,257] grid=uniform(-1,1)[8,256,256,2]",
                "input=randn[6,3,256,256] grid=uniform(-1,1)[6,256,255,2] padding_mode=border align_corners=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         double corners = a.tensor("grid").size(-1) == 3 ? 4 : 2;
         return {traffic(a, out), 12 * outputs(out) * corners};
       },
       .deviation =
           "For mode='nearest' either neighbour is right where a coordinate is within rounding of the middle. Places that "
           "are NaN are not tested."},
  };
  return tasks;
}

}  // namespace kbx
