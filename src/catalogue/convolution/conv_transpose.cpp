// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/conv_transpose2d.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> conv_transpose_family() {
  static const Task tasks[] = {
      {.id = "conv_transpose2d",
       .category = Category::convolution,
       .difficulty = 4,
       .schema = "conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
                 "output_padding=0, int groups=1, int[2] dilation=1) -> Tensor",
       .summary =
           "Transposed two-dimensional convolution of images (batch, channels, height, width; the batch may be missing) with "
           "filters (channels, outputs/groups, kH, kW): each pixel adds its multiple of the filter to the result, stride apart. "
           "padding cuts that many rows and columns off each side, output_padding keeps some more at the lower right, dilation "
           "spreads the filter. Channels and outputs fall into groups, each of which sees its own. bias has one number for each "
           "output. Mind that groups comes before dilation. float32 means float32: inputs cut to TF32 are not accepted.",
       .math = "y[n, o, i, j] = bias[o] + sum over c in the group of o, and over h, w, u, v with\n"
               "    i = h*sH - pH + u*dH and j = w*sW - pW + v*dW, of x[n, c, h, w] * weight[c, o mod (outputs/groups), u, v]\n"
               "out = (in - 1)*stride - 2*padding + dilation*(kernel - 1) + output_padding + 1",
       .reference = [](const Args& a) -> Values {
         return {at::conv_transpose2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("stride"),
                                      a.ints("padding"), a.ints("output_padding"), a.integer("groups"), a.ints("dilation"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: H=5..9 W=5..11 input=randn[1,3,H,W] weight=randn[3,2,3,3]",
               "standard: H=5..7 W=5..9 input=randn[2,3,H,W] weight=randn[3,2,3,3] stride=2 padding=1 output_padding=1",
               "standard: W=5..11 input=randn[1,5,5,W] weight=randn[5,3,3,5] bias=randn[3] padding=[1,2]",
               "standard: H=5..9 input=randn[1,2,H,7] weight=randn[2,2,3,3] dilation=2",
               "standard: W=5..9 input=randn[1,4,5,W] weight=randn[4,3,3,3] bias=randn[6] stride=[2,1] groups=2",
               "boundary: input=randn[1,17,5,5] weight=randn[17,5,1,1]",
               "boundary: input=randn[0,3,5,5] weight=randn[3,2,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1]",
               "boundary: input=randn[1,3,1,1] weight=randn[3,1,3,5] bias=randn[1]",
               "boundary: input=randn[3,5,7] weight=randn[3,2,3,3]",
               "boundary: input=randn[1,3,5,7]@offset weight=randn[3,2,3,3]@offset",
               "boundary: input=randn[1,3,5,7]@strided weight=randn[3,2,3,3]@transposed",
               "boundary: input=randn[1,3,5,7]@scale(1e-4) weight=randn[3,2,3,3]",
               "boundary: input=randn[1,3,5,7]@shift(100) weight=randn[3,2,3,3] padding=1",
               "boundary: input=randn[1,3,5,7]@poke(nan) weight=randn[3,2,3,3] stride=2",
               "boundary: input=randn[1,3,5,7] weight=randn[3,2,2,2] stride=3 output_padding=[2,0]",
               "boundary: input=randn[1,3,5,7] weight=randn[3,1,3,3] groups=3 stride=2 dilation=[1,2] padding=[0,3]",
               "boundary: input=randn[1,3,5,7] weight=randn[3,2,3,3] bias=none stride=[2,3] padding=1 output_padding=[0,1] "
               "groups=1 dilation=[2,1] *",
               "boundary: * input=randn[1,2,5,4] weight=randn[2,3,3,3] bias=randn[3]",
           },
       .perf = {"input=randn[16,16,32,33] weight=randn[16,32,3,3] bias=randn[32] stride=2 padding=1 output_padding=1",
                "input=randn[4,64,29,29] weight=randn[64,64,3,3] stride=2 padding=1"},
       .perf_gpu = {"input=randn[32,64,64,65] weight=randn[64,64,3,3] bias=randn[64] stride=2 padding=1 output_padding=1",
                    "input=randn[16,256,29,29] weight=randn[256,128,3,3] stride=2 padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         at::Tensor weight = a.tensor("weight");
         const auto filter = static_cast<double>(weight.size(1) * weight.size(2) * weight.size(3));
         return {traffic(a, out), 2 * static_cast<double>(a.tensor("input").numel()) * filter, Unit::matrix};
       }},
  };
  return tasks;
}

}  // namespace kbx
