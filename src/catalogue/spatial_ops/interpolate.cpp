// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// Operations for one element: a copy, four corners, sixteen of them.
double operations(const std::string& mode) { return mode == "nearest" ? 1 : mode == "bilinear" ? 12 : 40; }

Values interpolate(const Args& a) {
  const at::Tensor input = a.tensor("input");
  const auto size = a.maybe_ints("size");
  at::OptionalIntArrayRef sizes;
  if (size) sizes = at::IntArrayRef(*size);
  std::vector<double> held;
  std::optional<at::ArrayRef<double>> factors;
  if (const c10::IValue& value = a.call().argument("scale_factor").value; !value.isNone()) {
    held = value.toDoubleVector();
    factors = held;
  }
  const c10::IValue& corners = a.call().argument("align_corners").value;
  const bool align = !corners.isNone() && corners.toBool();
  const std::string mode = a.text("mode");
  if (mode == "bilinear") return {at::upsample_bilinear2d(input, sizes, align, factors)};
  if (mode == "bicubic") return {at::upsample_bicubic2d(input, sizes, align, factors)};
  TORCH_CHECK(mode == "nearest", "'", mode, "' is no mode of interpolate");
  TORCH_CHECK(corners.isNone(), "align_corners has no meaning for mode 'nearest'");
  return {at::upsample_nearest2d(input, sizes, factors)};
}

}  // namespace

std::span<const Task> interpolate_family() {
  static const Task tasks[] = {
      {.id = "interpolate",
       .category = Category::spatial_ops,
       .difficulty = 3,
       .schema = "interpolate(Tensor input, int[2]? size=None, float[2]? scale_factor=None, str mode='nearest', bool? "
                 "align_corners=None) -> Tensor",
       .summary =
           "Resizes images (N, C, H, W). Either size, the new height and width, is given, or scale_factor, one number or two; "
           "then the new size is the old one times the factor, rounded down. mode: nearest (the source index is rounded down), "
           "bilinear, or bicubic (convolution with a = -0.75); elements beyond the border are those of the border, and nothing "
           "is smoothed when an image shrinks. The step s from one result to the next is 1 / scale_factor where that is given, "
           "otherwise old size / new size. align_corners (bilinear and bicubic; None is False) puts the corner elements onto "
           "each other instead: then the step is (old - 1) / (new - 1), 0 where the new size is 1, whatever scale_factor is. "
           "Coordinates are computed in float32 or better, also for 16-bit images.",
       .math =
           "nearest: y[i] = x[min(floor(i * s), H - 1)]\n"
           "bilinear: t = max((i + 1/2) * s - 1/2, 0), h = floor(t), f = t - h, y[i] = (1 - f) x[h] + f x[min(h + 1, H - 1)]\n"
           "bicubic: t = (i + 1/2) * s - 1/2, y[i] = sum over k = -1..2 of w(f - k) * x[clamp(h + k, 0, H - 1)],\n"
           "  w(d) = (a + 2) |d|^3 - (a + 3) d^2 + 1 up to |d| = 1, a (|d|^3 - 5 d^2 + 8 |d| - 4) up to 2\n"
           "align_corners: t = i * s; the same along the width",
       .reference = interpolate,
       .contract = numeric(),
       .cases =
           {
               "standard: H=5..13 W=5..13 A=17..33 B=17..33 input=randn[2,3,H,W] size=[A,B]",
               "standard: H=5..13 W=5..13 A=17..33 B=17..33 input=randn[2,3,H,W] size=[A,B] mode=bilinear align_corners=false",
               "standard: H=5..13 W=5..13 input=randn[2,3,H,W] scale_factor=2.0 mode=bilinear align_corners=false",
               "standard: H=5..13 W=5..13 A=17..33 B=17..33 input=randn[2,3,H,W] size=[A,B] mode=bicubic align_corners=false",
               "standard: H=9..13 W=9..13 input=randn[1,5,H,W] scale_factor=[1.7,2.5] mode=bicubic align_corners=true",
               "standard: W=1000..2000 input=randn[1,1,5,W] size=[7,3001] mode=bilinear",
               "boundary: H=5..13 W=5..13 input=randn[2,3,H,W]@transposed scale_factor=1.5",
               "boundary: H=17..33 W=17..33 input=randn[2,2,H,W]@strided size=[5,7] mode=bilinear align_corners=true",
               "boundary: input=randn[2,3,7,9] scale_factor=[1.7,0.6] mode=bilinear",
               "boundary: input=randn[2,3,7,9] scale_factor=[1.7,0.6] mode=bilinear align_corners=true",
               "boundary: input=randn[2,3,7,9] scale_factor=[1.7,0.6] mode=bicubic",
               "boundary: input=randn[2,3,7,9] scale_factor=[1.7,0.6]",
               "boundary: input=randn[2,3,7,9] scale_factor=[3,0.75] mode=nearest",
               "boundary: input=randn[2,3,17,19] size=[7,5] mode=nearest",
               "boundary: input=randn[2,3,17,19] size=[7,5] mode=bicubic align_corners=true",
               "boundary: input=randn[2,3,17,19] size=[7,5] mode=bicubic",
               "boundary: input=randn[1,2,5,7] size=9 mode=bilinear",
               "boundary: input=randn[2,3,5,7] size=[5,7] mode=bicubic",
               "boundary: input=randn[2,3,5,7] size=[1,1] mode=bilinear align_corners=true",
               "boundary: input=randn[2,3,5,7] size=[1,1] mode=bilinear",
               "boundary: input=randn[2,3,5,7] size=[1,1]",
               "boundary: input=randn[1,1,1,1] size=[3,5] mode=bicubic align_corners=false",
               "boundary: input=randn[1,1,1,1] size=[3,5] mode=bilinear align_corners=true",
               "boundary: input=randn[0,3,5,7] size=[9,11] mode=bilinear",
               "boundary: input=randn[1,3,5,7]@offset size=[9,11] mode=bicubic",
               "boundary: input=randn[3,2,5,7]@expanded size=[9,11] mode=bilinear",
               "boundary: input=randn[1,3,5,7]@scale(1e-4) size=[9,11] mode=bicubic",
               "boundary: input=randn[1,3,5,7]@shift(1000) size=[9,11] mode=bicubic",
               "boundary: input=randn[1,3,5,7]@shift(1000) size=[9,11] mode=bilinear",
               "boundary: input=randn[1,3,5,7]@poke(nan,inf) size=[9,11]",
               "boundary: input=randn[1,3,5,7]:f64 size=[9,11] mode=bicubic align_corners=true",
               "boundary: input=randn[1,3,5,7]:f16 size=[9,11] mode=bilinear",
               "boundary: input=randn[1,3,5,7]:bf16 size=[9,11]",
               "boundary: input=randn[1,3,5,7] size=[9,11] scale_factor=none mode=bilinear align_corners=true *",
               "boundary: * input=randn[1,3,5,7] size=[9,11]",
           },
       .perf = {"input=randn[4,3,256,256] size=[512,512]", "input=randn[2,3,256,257] scale_factor=1.5 mode=bilinear",
                "input=randn[1,3,255,256] size=[511,512] mode=bicubic"},
       .perf_gpu = {"input=randn[16,3,512,512] size=[1024,1024]", "input=randn[8,3,512,513] scale_factor=1.5 mode=bilinear",
                    "input=randn[4,3,511,512] size=[1023,1024] mode=bicubic"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), operations(a.text("mode")) * outputs(out)};
       },
       .deviation = "Images and three modes: lists of two numbers leave no other ranks, and the published test uses no other "
                    "modes. Sizes for which i * s is an integer that float32 misses are not tested with mode='nearest'."},
  };
  return tasks;
}

}  // namespace kbx
