// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/avg_pool1d.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/sigmoid.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values cosine_pooled(const Args& a) {
  const std::vector<int64_t> kernel = a.ints("kernel_size");
  return {at::avg_pool1d(at::cos(a.tensor("input")), kernel, a.maybe_ints("stride").value_or(kernel), a.ints("padding"),
                         a.flag("ceil_mode"), a.flag("count_include_pad"))};
}

}  // namespace

std::span<const Task> fused_activation_pooling_family() {
  static const Task tasks[] = {
      {.id = "fused_cos_avg_pool1d",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_cos_avg_pool1d(Tensor input, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool "
                 "ceil_mode=False, bool count_include_pad=True) -> Tensor",
       .summary =
           "Cosine of each element of input [batch, channels, length], or without batch, then average pooling along the "
           "length. stride defaults to kernel_size. padding (at most half of kernel_size) adds zeros on both sides of the "
           "cosines, not of the input. ceil_mode rounds the output length up, as long as the last window begins inside the "
           "input or its left padding. The divisor counts the window's places inside the padded input, or, without "
           "count_include_pad, inside the input.",
       .math =
           "y[i] = sum of cos(x[j]) over j in [i*stride - padding, i*stride - padding + kernel_size) inside the input / divisor\n"
           "divisor = count of those j with -padding <= j < length + padding (count_include_pad), 0 <= j < length (else)\n"
           "out = floor, or with ceil_mode ceil, of (length + 2*padding - kernel_size) / stride, + 1; with ceil_mode one less "
           "if (out - 1) * stride >= length + padding",
       .reference = cosine_pooled,
       .contract = numeric(),
       .cases =
           {
               "standard: C=3..7 L=65..300 input=randn[2,C,L] kernel_size=2",
               "standard: C=3..7 L=65..300 input=randn[2,C,L] kernel_size=4 stride=2 padding=1",
               "standard: C=3..7 L=65..300 input=randn[2,C,L] kernel_size=5 stride=3 padding=2 ceil_mode=true",
               "standard: L=1000..4000 input=randn[1,2,L] kernel_size=[7] stride=[5] padding=[3] count_include_pad=false",
               "boundary: input=randn[2,3,11] kernel_size=3 stride=2 padding=1 ceil_mode=true count_include_pad=false",
               "boundary: input=randn[2,3,12] kernel_size=3 stride=4 padding=1 ceil_mode=true",
               "boundary: input=randn[2,3,10] kernel_size=3 stride=2 ceil_mode=true",
               "boundary: input=randn[2,3,8] kernel_size=2 stride=3 padding=1 ceil_mode=true",
               "boundary: input=randn[2,3,17] kernel_size=1 stride=2",
               "boundary: input=randn[2,3,17] kernel_size=17",
               "boundary: input=randn[5,33] kernel_size=3",
               "boundary: input=randn[0,3,9] kernel_size=2",
               "boundary: input=randn[1,1,1] kernel_size=1",
               "boundary: input=randn[2,3,33]@offset kernel_size=3",
               "boundary: input=randn[2,3,33]@strided kernel_size=3 stride=1",
               "boundary: input=randn[2,5,33]@transposed kernel_size=3 padding=1",
               "boundary: input=randn[2,5,33]@expanded kernel_size=3",
               "boundary: input=randn[2,3,33]@scale(1e-4) kernel_size=3 padding=1",
               "boundary: input=randn[2,3,33]@shift(1000) kernel_size=3",
               "boundary: input=randn[2,3,33]@poke(nan,inf) kernel_size=3 padding=1",
               "boundary: input=randn[2,3,33] kernel_size=3 stride=none padding=1 ceil_mode=true count_include_pad=false *",
               "boundary: * input=randn[2,3,33] kernel_size=4",
           },
       .perf = {"input=uniform[32,32,1536] kernel_size=3", "input=randn[16,64,1025] kernel_size=4 stride=2 padding=1"},
       .perf_gpu = {"input=uniform[128,128,1536] kernel_size=3", "input=randn[64,128,1025] kernel_size=4 stride=2 padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double window = static_cast<double>(a.ints("kernel_size").front());
         return {traffic(a, out), 8 * static_cast<double>(a.tensor("input").numel()) + outputs(out) * window};
       }},

      {.id = "fused_sigmoid_adaptive_avg_pool2d",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_sigmoid_adaptive_avg_pool2d(Tensor input, int[2] output_size) -> Tensor",
       .summary =
           "Average pooling of images, with or without a batch dimension, to the given height and width, then the logistic "
           "function of the averages. The windows are spread evenly, overlap where the sizes do not divide, and repeat "
           "elements where the output is larger. One number means a square.",
       .math = "m[.., i, j] = mean of x[.., floor(i*H/oH) .. ceil((i+1)*H/oH) - 1, the same for columns]\n"
               "y = 1 / (1 + exp(-m))",
       .reference = [](const Args& a) -> Values {
         return {at::sigmoid(at::adaptive_avg_pool2d(a.tensor("input"), a.ints("output_size")))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: C=3..9 H=9..23 W=9..23 input=randn[1,C,H,W] output_size=5",
               "standard: C=3..9 H=9..23 W=9..23 input=randn[2,C,H,W]@fixed@scale(3) output_size=[3,7]",
               "standard: C=3..9 H=9..23 input=randn[C,H,11] output_size=[4,3]",
               "standard: W=600..1000 input=randn[1,2,3,W] output_size=[2,5]",
               "boundary: H=9..23 W=33..65 input=randn[2,3,H,W]@transposed output_size=[2,5]",
               "boundary: input=randn[1,3,8,9]@strided output_size=[5,7]",
               "boundary: input=randn[1,3,17,13] output_size=1",
               "boundary: input=randn[1,3,5,7]@scale(40) output_size=[5,7]",
               "boundary: input=randn[1,2,3,4] output_size=[5,7]",
               "boundary: input=randn[1,1,1,1] output_size=1",
               "boundary: input=randn[0,3,5,7] output_size=2",
               "boundary: input=randn[1,3,8,9]@offset output_size=[3,2]",
               "boundary: input=randn[2,3,8,9]@expanded output_size=[3,2]",
               "boundary: input=randn[1,3,8,9]@scale(1e-4) output_size=3",
               "boundary: input=randn[1,3,8,9]@shift(-20) output_size=3",
               "boundary: input=randn[1,3,8,9]@shift(1000) output_size=3",
               "boundary: input=randn[1,3,8,9]@poke(nan) output_size=3",
               "boundary: input=randn[1,3,8,9]@poke(-inf) output_size=3",
               "boundary: input=randn[1,3,8,9] output_size=[2,3] *",
               "boundary: * input=randn[1,3,8,9] output_size=[3,2]",
           },
       .perf = {"input=randn[4,2,512,512] output_size=128", "input=randn[32,64,57,57] output_size=7"},
       .perf_gpu = {"input=randn[16,4,1024,1024] output_size=128", "input=randn[64,256,57,57] output_size=7"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input").numel()) + 10 * outputs(out)};
       },
       .deviation =
           "The name puts the logistic function first; the published text and reference put it last, and so does this task."},
  };
  return tasks;
}

}  // namespace kbx
