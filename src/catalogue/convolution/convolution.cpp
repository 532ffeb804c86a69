// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/conv2d.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> convolution_family() {
  static const Task tasks[] = {
      {.id = "conv2d",
       .category = Category::convolution,
       .difficulty = 4,
       .schema = "conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, "
                 "int groups=1) -> Tensor",
       .summary = "Two-dimensional cross-correlation of images (batch, channels, height, width) with filters (outputs, "
                  "channels/groups, kH, kW). Padding is with zeros. float32 means float32: inputs cut to TF32 are not accepted.",
       .math = "y[n, o, i, j] = bias[o] + sum over c, u, v of\n"
               "    weight[o, c, u, v] * x[n, g(o)*C/groups + c, i*sH + u*dH - pH, j*sW + v*dW - pW]\n"
               "out = floor((in + 2*pad - dilation*(kernel - 1) - 1) / stride) + 1",
       .reference = [](const Args& a) -> Values {
         return {at::conv2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("stride"), a.ints("padding"),
                            a.ints("dilation"), a.integer("groups"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[1,3,H,W] weight=randn[2,3,3,3]",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[3,3,3,3] stride=2 padding=1",
               "standard: W=9..15 input=randn[1,5,7,W] weight=randn[3,5,3,5] bias=randn[3] padding=[1,2]",
               "standard: H=9..13 input=randn[1,2,H,11] weight=randn[2,2,3,3] dilation=2",
               "standard: W=7..11 input=randn[1,4,7,W] weight=randn[6,2,3,3] bias=randn[6] stride=[2,1] groups=2",
               "boundary: input=randn[1,17,5,5] weight=randn[5,17,1,1]",
               "boundary: input=randn[0,3,5,5] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1]",
               "boundary: input=randn[1,3,3,3] weight=randn[1,3,3,3] bias=randn[1]",
               "boundary: input=randn[3,7,9] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@offset weight=randn[2,3,3,3]@offset",
               "boundary: input=randn[1,3,7,9]@strided weight=randn[2,3,3,3]@transposed",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@shift(100) weight=randn[2,3,3,3] padding=1",
               "boundary: input=randn[1,3,7,9]@poke(nan) weight=randn[2,3,3,3] padding=1",
               "boundary: input=randn[1,3,7,9] weight=randn[3,1,3,3] groups=3 dilation=[1,2] padding=[0,3]",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=none stride=[1,2] padding=1 *",
           },
       .perf = {"input=randn[4,32,64,64] weight=randn[64,32,3,3] padding=1",
                "input=randn[4,64,57,57] weight=randn[128,64,3,3] bias=randn[128] padding=1 stride=2"},
       .perf_gpu = {"input=randn[16,64,112,112] weight=randn[64,64,3,3] padding=1",
                    "input=randn[32,128,57,57] weight=randn[256,128,3,3] bias=randn[256] padding=1 stride=2"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         at::Tensor weight = a.tensor("weight");
         return {traffic(a, out), 2 * outputs(out) * static_cast<double>(weight.size(1) * weight.size(2) * weight.size(3)),
                 Unit::matrix};
       }},
  };
  return tasks;
}

}  // namespace kbx
