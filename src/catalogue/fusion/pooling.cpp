// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/fractional_max_pool2d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/relu.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

std::vector<int64_t> stride_or_kernel(const Args& a, std::string_view stride, std::string_view kernel) {
  return a.maybe_ints(stride).value_or(a.ints(kernel));
}

Values similarity_pooled(const Args& a) {
  const at::Tensor similarity = at::cosine_similarity(a.tensor("x1"), a.tensor("x2"), /*dim=*/1, a.real("eps"));
  return {at::avg_pool2d(similarity.unsqueeze(1), a.ints("kernel_size"), stride_or_kernel(a, "stride", "kernel_size"),
                         a.ints("padding"))};
}

Values convolved_and_pooled(const Args& a) {
  const at::Tensor map = at::conv2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("conv_stride"),
                                    a.ints("conv_padding"), a.ints("conv_dilation"), a.integer("conv_groups"));
  return {at::relu(at::max_pool2d(map, a.ints("pool_kernel_size"), stride_or_kernel(a, "pool_stride", "pool_kernel_size"),
                                  a.ints("pool_padding"), a.ints("pool_dilation"), a.flag("pool_ceil_mode")))};
}

std::vector<int64_t> fractional_size(const Args& a, const at::Tensor& input) {
  if (auto size = a.maybe_ints("output_size")) return *size;
  const auto ratio = a.call().argument("output_ratio").value.toDoubleVector();
  return {static_cast<int64_t>(static_cast<double>(input.size(-2)) * ratio.front()),
          static_cast<int64_t>(static_cast<double>(input.size(-1)) * ratio.back())};
}

at::Tensor rectified(const Args& a) { return at::relu(a.tensor("input")); }

Values fractionally_pooled(const Args& a) {
  const at::Tensor input = rectified(a);
  const int64_t batch = input.dim() == 3 ? 1 : input.size(0);
  const at::Tensor samples = at::rand({batch, input.size(-3), 2}, input.options());
  auto [maxima, positions] = at::fractional_max_pool2d(input, a.ints("kernel_size"), fractional_size(a, input), samples);
  if (a.flag("return_indices")) return {maxima, positions};
  return {maxima};
}

double window(const Args& a, std::string_view kernel) {
  const auto sizes = a.ints(kernel);
  return static_cast<double>(sizes.front() * sizes.back());
}

}  // namespace

std::span<const Task> fused_pooling_family() {
  static const Task tasks[] = {
      {.id = "fused_avg_pool2d_cosine_similarity",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_avg_pool2d_cosine_similarity(Tensor x1, Tensor x2, int[2] kernel_size, int[2]? stride=None, int[2] "
                 "padding=0, float eps=1e-08) -> Tensor",
       .summary = "Cosine similarity over the channels (dimension 1) of two batches of images, which leaves one channel, then "
                  "average pooling of that map. stride defaults to kernel_size; padding adds zeros, which count in the average. "
                  "Each norm is at least eps.",
       .math = "s[n, i, j] = sum over c of x1 x2 / (max(|x1|, eps) max(|x2|, eps)), norms over c\n"
               "y[n, 0, i, j] = mean of s over the window at (i*sH - pH, j*sW - pW)",
       .reference = similarity_pooled,
       .contract = numeric(),
       .cases =
           {
               "standard: H=9..17 W=9..17 x1=randn[2,3,H,W] x2=randn[2,3,H,W] kernel_size=2",
               "standard: H=9..15 W=9..15 x1=randn[1,5,H,W] x2=randn[1,5,H,W] kernel_size=3 stride=2 padding=1",
               "standard: C=17..40 W=9..15 x1=randn[1,C,7,W] x2=randn[1,C,7,W] kernel_size=2 stride=1",
               "standard: x1=randn[1,515,5,7] x2=randn[1,515,5,7] kernel_size=[2,3] stride=[1,2] padding=[0,1]",
               "boundary: x1=randn[2,3,8,8] x2=randn[2,3,8,8] kernel_size=2 eps=1e-6",
               "boundary: x1=randn[1,3,8,8]@scale(1e-4) x2=randn[1,3,8,8] kernel_size=2 eps=1e-2",
               "boundary: x1=randn[1,3,8,8]@scale(1e-4) x2=randn[1,3,8,8]@scale(1e-4) kernel_size=2",
               "boundary: x1=zeros[1,3,8,8] x2=randn[1,3,8,8] kernel_size=2",
               "boundary: x1=randn[1,9,8,8]@shift(100) x2=randn[1,9,8,8]@shift(-100) kernel_size=2",
               "boundary: x1=randn[1,1,1,1] x2=randn[1,1,1,1] kernel_size=1",
               "boundary: x1=randn[0,3,5,5] x2=randn[0,3,5,5] kernel_size=2",
               "boundary: x1=randn[1,3,7,9]@strided x2=randn[1,3,7,9]@transposed kernel_size=2",
               "boundary: x1=randn[1,3,7,9]@offset x2=randn[1,3,7,9]@offset kernel_size=3 padding=1",
               "boundary: x1=randn[2,3,7,9]@expanded x2=randn[2,3,7,9] kernel_size=2",
               "boundary: x1=randn[1,3,7,9]@poke(nan) x2=randn[1,3,7,9] kernel_size=2",
               "boundary: x1=randn[1,3,7,9] x2=randn[1,3,7,9] kernel_size=2 stride=none padding=1 eps=1e-8 *",
               "boundary: * x1=randn[1,3,7,9] x2=randn[1,3,7,9] kernel_size=2",
           },
       .perf = {"x1=randn[8,64,32,32] x2=randn[8,64,32,32] kernel_size=2",
                "x1=randn[1,64,96,97] x2=randn[1,64,96,97] kernel_size=3 stride=1 padding=1"},
       .perf_gpu = {"x1=randn[64,64,64,64] x2=randn[64,64,64,64] kernel_size=2",
                    "x1=randn[4,64,193,195] x2=randn[4,64,193,195] kernel_size=3 stride=1 padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 6 * static_cast<double>(a.tensor("x1").numel()) + outputs(out) * window(a, "kernel_size")};
       },
       .deviation = "The name puts the pooling first; the published text and reference put it last, and so does this task."},

      {.id = "fused_relu_max_pool2d_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_relu_max_pool2d_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] conv_stride=1, int[2] "
                 "conv_padding=0, int[2] conv_dilation=1, int conv_groups=1, int[2] pool_kernel_size=2, int[2]? "
                 "pool_stride=None, int[2] pool_padding=0, int[2] pool_dilation=1, bool pool_ceil_mode=False, bool "
                 "inplace=False) -> Tensor",
       .summary =
           "Two-dimensional convolution (cross-correlation, zero padding), then max pooling, then ReLU. pool_stride defaults "
           "to pool_kernel_size; the pooling's padding never wins; pool_ceil_mode rounds its output size up. inplace "
           "concerns an intermediate result only: no argument changes. float32 means float32, not TF32.",
       .math = "y = max(0, max over the pooling window of conv2d(input, weight) + bias)",
       .reference = convolved_and_pooled,
       .contract = numeric(),
       .cases =
           {
               "standard: H=9..13 W=9..13 input=randn[1,3,H,W] weight=randn[4,3,3,3]",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[5,3,3,3] bias=randn[5] conv_padding=1 pool_stride=2",
               "standard: H=11..17 input=randn[1,3,H,13] weight=randn[4,3,3,3] conv_stride=2 conv_padding=1",
               "standard: W=9..13 input=randn[1,4,9,W] weight=randn[6,2,3,3] bias=randn[6] conv_groups=2 pool_kernel_size=3 "
               "pool_stride=2 pool_padding=1",
               "boundary: input=randn[1,3,13,11] weight=randn[4,3,3,3] conv_dilation=2 pool_dilation=2",
               "boundary: input=randn[1,3,9,10] weight=randn[4,3,3,3] pool_kernel_size=[2,3] pool_stride=2 pool_ceil_mode=true",
               "boundary: input=randn[1,3,9,9] weight=randn[4,3,2,3] bias=randn[4]@shift(-100)",
               "boundary: input=randn[1,3,9,9] weight=randn[4,3,3,3] inplace=true",
               "boundary: input=randn[1,1,2,2] weight=randn[1,1,1,1]",
               "boundary: input=randn[0,3,8,8] weight=randn[4,3,3,3]",
               "boundary: input=randn[3,8,9] weight=randn[4,3,3,3]",
               "boundary: input=randn[1,3,8,9]@offset weight=randn[4,3,3,3]@offset",
               "boundary: input=randn[1,3,8,9]@strided weight=randn[4,3,3,3]@transposed",
               "boundary: input=randn[1,3,8,9]@scale(1e-4) weight=randn[4,3,3,3]",
               "boundary: input=randn[1,3,8,9]@shift(100) weight=randn[4,3,3,3] conv_padding=1",
               "boundary: input=randn[1,3,8,9]@poke(nan) weight=randn[4,3,3,3]",
               "boundary: input=randn[1,3,8,9] weight=randn[4,3,3,3] bias=none conv_stride=1 conv_padding=[0,1] *",
               "boundary: * input=randn[1,3,8,9] weight=randn[4,3,3,3] bias=randn[4] pool_kernel_size=3",
           },
       .perf = {"input=randn[2,16,64,64] weight=randn[32,16,3,3] bias=randn[32] conv_padding=1",
                "input=randn[1,3,130,130] weight=randn[64,3,3,3] bias=randn[64]"},
       .perf_gpu = {"input=randn[32,64,64,64] weight=randn[128,64,3,3] bias=randn[128] conv_padding=1",
                    "input=randn[4,3,514,514] weight=randn[64,3,3,3] bias=randn[64]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor weight = a.tensor("weight");
         const auto stride = stride_or_kernel(a, "pool_stride", "pool_kernel_size");
         const double map = outputs(out) * static_cast<double>(stride.front() * stride.back());
         return {traffic(a, out), map * (2 * static_cast<double>(weight[0].numel()) + 1), Unit::matrix};
       }},

      {.id = "fused_fractional_max_pool2d_with_relu",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_fractional_max_pool2d_with_relu(Tensor input, int[2] kernel_size, int[2]? output_size=None, float[2]? "
                 "output_ratio=None, bool return_indices=False) -> (Tensor output, Tensor indices)",
       .summary =
           "ReLU, then fractional max pooling of images to output_size, or to output_ratio times their size, rounded down. "
           "The windows of a plane (one channel of one image) start where two random numbers put them, one for its rows and "
           "one for its columns; any good generator will do, but the same seed must repeat the windows. Returns the maxima, "
           "and with return_indices also their positions in the plane, row * width + column.",
       .math = "alpha = (in - kernel) / (out - 1), u ~ U[0, 1) for each plane and axis\n"
               "start[i] = floor((i + u) alpha) - floor(u alpha) for i < out - 1, start[out - 1] = in - kernel\n"
               "y[i, j] = max of relu(x) over rows start_h[i] + 0..kH-1 and columns start_w[j] + 0..kW-1",
       .reference = fractionally_pooled,
       .contract = stochastic(Distribution::fractional_pooling),
       .chance = {.before = rectified},
       .cases =
           {
               "standard: H=19..27 W=19..27 input=randn[4,11,H,W] kernel_size=2 output_size=[8,7]",
               "standard: H=19..27 W=19..27 input=randn[6,9,H,W] kernel_size=[3,2] output_ratio=[0.4,0.3] return_indices=true",
               "standard: H=19..23 input=randn[4,13,H,21] kernel_size=3 output_size=9",
               "boundary: C=40..60 input=randn[C,17,13] kernel_size=2 output_size=[7,6] return_indices=true",
               // Steps of 4/3 and 5/4: small ones, where the phase tells most of u.
               "boundary: input=randn[16,20,6,7]@shift(3) kernel_size=2 output_size=[4,5] return_indices=true",
               "boundary: input=randn[2,3,9,11] kernel_size=1 output_size=[9,11] return_indices=true",
               "boundary: input=randn[2,3,8,8] kernel_size=2 output_ratio=0.5",
               "boundary: input=randn[2,3,8,8] kernel_size=8 output_size=1 return_indices=true",
               "boundary: input=randn[1,3,7,9] kernel_size=2 output_size=1",
               "boundary: input=randn[1,1,1,1] kernel_size=1 output_size=1",
               "boundary: input=randn[0,3,8,8] kernel_size=2 output_size=4",
               "boundary: input=randn[2,3,9,9]@shift(-9) kernel_size=2 output_size=5",
               "boundary: input=randn[2,3,9,9]@poke(nan,inf) kernel_size=2 output_size=5 return_indices=true",
               "boundary: input=randn[2,3,9,11]@strided kernel_size=2 output_size=5",
               "boundary: input=randn[2,3,9,11]@offset kernel_size=2 output_size=5",
               "boundary: input=randn[2,3,9,11]@transposed kernel_size=2 output_size=5",
               "boundary: * input=randn[2,3,9,11] kernel_size=2 output_size=5 return_indices=false",
               "boundary: input=randn[2,3,9,11] kernel_size=2 output_size=none output_ratio=[0.5,0.5] return_indices=true *",
           },
       .perf = {"input=randn[8,16,128,129] kernel_size=2 output_size=[59,61]",
                "input=randn[16,3,256,256] kernel_size=2 output_ratio=0.47"},
       .perf_gpu = {"input=randn[32,64,128,129] kernel_size=2 output_size=[59,61]",
                    "input=randn[64,3,256,256] kernel_size=2 output_ratio=0.47"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input").numel()) + outputs(out) * window(a, "kernel_size")};
       },
       .deviation =
           "The published test demands the windows of one library's generator. Here any windows pass that one random number a "
           "plane and axis can give, if these numbers are uniform, independent, and follow the seed."},
  };
  return tasks;
}

}  // namespace kbx
