// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/instance_norm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/selu.h>
#include <ATen/ops/silu.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

constexpr bool kCudnnEnabled = true;

at::Tensor convolved(const Args& a) {
  return at::conv2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("stride"), a.ints("padding"),
                    a.ints("dilation"), a.integer("groups"));
}

Values instance_normalized(const Args& a) {
  return {at::instance_norm(at::selu(convolved(a)), {}, {}, {}, {}, /*use_input_stats=*/true, a.real("momentum"), a.real("eps"),
                            kCudnnEnabled)};
}

Values batch_normalized(const Args& a) {
  return {at::relu(at::batch_norm(convolved(a), a.maybe_tensor("bn_weight"), a.maybe_tensor("bn_bias"),
                                  a.maybe_tensor("running_mean"), a.maybe_tensor("running_var"), a.flag("training"),
                                  a.real("momentum"), a.real("eps"), kCudnnEnabled))};
}

Values layer_normalized(const Args& a) {
  const at::Tensor map = at::conv2d(a.tensor("x"), a.tensor("conv_weight"), a.maybe_tensor("conv_bias"), a.ints("conv_stride"),
                                    a.ints("conv_padding"), a.ints("conv_dilation"), a.integer("conv_groups"));
  return {at::silu(at::layer_norm(map, map.sizes().slice(1), {}, {}, a.real("ln_eps")))};
}

// `weight` work for each element after its products.
Cost cost_of(const Args& a, const Values& out, std::string_view filters, double weight) {
  return {traffic(a, out), outputs(out) * (2 * static_cast<double>(a.tensor(filters)[0].numel()) + weight), Unit::matrix};
}

}  // namespace

std::span<const Task> fused_conv2d_normalization_family() {
  static const Task tasks[] = {
      {.id = "fused_instance_norm_selu_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_instance_norm_selu_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] "
                 "padding=0, int[2] dilation=1, int groups=1, int? num_features=None, float eps=1e-05, float momentum=0.1, bool "
                 "affine=False, bool track_running_stats=False) -> Tensor",
       .summary = "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width] with "
                  "weight [outputs, channels/groups, kH, kW], plus bias [outputs], then SELU, then each channel of each image is "
                  "normalised by its own mean and biased variance. num_features, momentum, affine and track_running_stats are "
                  "accepted and change nothing: there are no parameters and no running statistics. float32 means float32, not "
                  "TF32.",
       .math = "c = conv2d(input, weight) + bias\n"
               "s = 1.0507009873554805 * (c if c > 0 else 1.6732632423543772 * (exp(c) - 1))\n"
               "y = (s - mean(s)) / sqrt(var(s) + eps), mean and var over the height and width of one channel of one image",
       .reference = instance_normalized,
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[1,3,H,W] weight=randn[3,3,3,3]@scale(0.3)",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[4,3,3,3]@scale(0.3) bias=randn[4] stride=2 padding=1",
               "standard: H=9..13 input=randn[2,4,H,11] weight=randn[6,2,3,3]@scale(0.3) dilation=2 groups=2 eps=1e-3",
               "standard: input=randn[2,65,5,7] weight=randn[3,65,3,3]@scale(0.05) bias=randn[3]",
               "boundary: input=randn[2,3,7,9] weight=randn[4,3,3,3] num_features=4 affine=true track_running_stats=true "
               "momentum=0.3",
               "boundary: input=randn[2,3,7,9]@scale(0.1) weight=randn[4,3,3,3]@scale(0.1) eps=0.1",
               "boundary: input=randn[2,3,3,4] weight=randn[4,3,3,3]@scale(0.3)",
               "boundary: input=zeros[1,3,7,9] weight=randn[2,3,3,3]",
               "boundary: input=randn[0,3,7,9] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,1,1,2] weight=randn[1,1,1,1]",
               "boundary: input=randn[2,3,7,9]@offset weight=randn[2,3,3,3]@offset",
               "boundary: input=randn[2,3,7,9]@strided weight=randn[2,3,3,3]@transposed@scale(0.3)",
               "boundary: input=randn[2,3,7,9]@scale(1e-4) weight=randn[2,3,3,3]",
               "boundary: input=randn[2,3,7,9]@shift(100) weight=uniform[2,3,3,3]",
               "boundary: input=randn[2,3,7,9]@shift(-1) weight=uniform[2,3,3,3]@scale(0.1) padding=[1,2]",
               "boundary: input=randn[2,3,7,9]@poke(nan) weight=randn[3,3,3,3]",
               "boundary: input=randn[2,3,7,9] weight=randn[2,3,3,3]@scale(0.3) bias=none stride=[1,2] padding=1 dilation=1 "
               "groups=1 num_features=none eps=1e-4 momentum=0.2 affine=false track_running_stats=false *",
               "boundary: * input=randn[1,3,9,9] weight=randn[2,3,3,3]@scale(0.3) bias=randn[2] dilation=[2,1]",
           },
       .perf = {"input=randn[2,16,64,64] weight=randn[64,16,3,3]@scale(0.1) bias=randn[64] padding=1",
                "input=randn[4,32,65,64] weight=randn[32,32,3,3]@scale(0.1) bias=randn[32] padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, "weight", 20); },
       .deviation =
           "num_features, affine and track_running_stats are kept for the signature's sake: the published reference does "
           "not read them, and without parameters and state they have no meaning."},

      {.id = "fused_relu_batch_norm_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema =
           "fused_relu_batch_norm_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, "
           "int[2] dilation=1, int groups=1, Tensor(a!)? running_mean=None, Tensor(b!)? running_var=None, Tensor? "
           "bn_weight=None, Tensor? bn_bias=None, bool training=False, float momentum=0.1, float eps=1e-05, bool "
           "inplace=False) -> Tensor",
       .summary =
           "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width] with "
           "weight [outputs, channels/groups, kH, kW], plus bias [outputs], then batch normalisation, then ReLU (NaN stays "
           "NaN). In training each channel is normalised by mean and biased variance of the batch, and the running "
           "statistics, where given, move in place towards the batch's mean and unbiased variance; otherwise by the "
           "running statistics, which stay as they are, and without which the function raises. bn_weight and bn_bias "
           "default to 1 and 0. inplace concerns an intermediate result only. float32 means float32, not TF32.",
       .math = "c = conv2d(input, weight) + bias\n"
               "y = max(0, (c - mean) / sqrt(var + eps) * bn_weight + bn_bias)\n"
               "training: running = (1 - momentum) * running + momentum * batch",
       .reference = batch_normalized,
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[2,3,H,W] weight=randn[3,3,3,3] running_mean=randn[3] "
               "running_var=uniform(0.5,2)[3]",
               "standard: H=7..11 W=7..13 input=randn[2,3,H,W] weight=randn[4,3,3,3] bias=randn[4] padding=1 "
               "running_mean=zeros[4] running_var=ones[4] bn_weight=randn[4] bn_bias=randn[4] training=true",
               "standard: H=9..13 input=randn[2,4,H,9] weight=randn[6,2,3,3] bias=randn[6] stride=2 groups=2 "
               "running_mean=randn[6] running_var=uniform(0.5,2)[6] bn_weight=randn[6] bn_bias=randn[6]",
               "standard: input=randn[1,65,5,7] weight=randn[3,65,3,3] running_mean=zeros[3] running_var=ones[3] training=true "
               "momentum=0.2",
               "boundary: input=randn[2,3,9,7] weight=randn[2,3,3,3] dilation=2 bn_weight=randn[2] training=true eps=1e-3",
               "boundary: input=randn[2,3,7,9] weight=randn[2,3,3,3] bn_bias=randn[2] raises",
               "boundary: input=randn[2,3,7,9] weight=randn[2,3,3,3] running_mean=randn[2] running_var=uniform(1e-6,1e-5)[2] "
               "eps=1e-4",
               "boundary: input=randn[2,3,7,9] weight=randn[2,3,3,3] bias=randn[2] running_mean=ones[2] running_var=ones[2] "
               "training=true momentum=1.0 inplace=true",
               "boundary: input=randn[2,3,7,9] weight=randn[2,3,3,3] running_mean=ones[2] running_var=ones[2] training=true "
               "momentum=0.0",
               "boundary: input=randn[0,3,7,9] weight=randn[2,3,3,3] running_mean=zeros[2] running_var=ones[2]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1] running_mean=zeros[1] running_var=ones[1]",
               "boundary: input=randn[2,1,1,1] weight=randn[1,1,1,1] running_mean=zeros[1] running_var=ones[1] "
               "bn_weight=randn[1] "
               "bn_bias=randn[1] training=true",
               "boundary: input=randn[2,3,7,9]@offset weight=randn[2,3,3,3]@offset running_mean=zeros[2]@offset "
               "running_var=ones[2] training=true",
               "boundary: input=randn[2,3,7,9]@strided weight=randn[2,3,3,3]@transposed running_mean=randn[2]@strided "
               "running_var=uniform(0.5,2)[2]@strided bn_weight=randn[2]@strided",
               "boundary: input=randn[2,3,7,9]@scale(1e-4) weight=randn[2,3,3,3] running_mean=zeros[2] running_var=ones[2] "
               "training=true",
               "boundary: input=randn[2,3,7,9]@shift(100) weight=randn[2,3,3,3] running_mean=zeros[2] running_var=ones[2] "
               "training=true",
               "boundary: input=randn[2,3,7,9]@poke(nan) weight=randn[2,3,3,3] padding=[1,2] running_mean=zeros[2] "
               "running_var=ones[2]",
               "boundary: input=randn[2,3,7,9] weight=randn[2,3,3,3] bias=none stride=[1,2] padding=1 dilation=1 groups=1 "
               "running_mean=zeros[2] running_var=ones[2] bn_weight=randn[2] bn_bias=none training=true momentum=0.3 eps=1e-4 "
               "inplace=false *",
               "boundary: * input=randn[2,3,9,9] weight=randn[2,3,3,3] dilation=[2,1] running_mean=randn[2] "
               "running_var=uniform(0.5,2)[2]",
           },
       .perf = {"input=randn[4,64,32,33] weight=randn[128,64,3,3] padding=1 running_mean=zeros[128] running_var=ones[128] "
                "bn_weight=randn[128] bn_bias=randn[128]",
                "input=randn[4,16,64,65] weight=randn[32,16,3,3] padding=1 running_mean=zeros[32] running_var=ones[32] "
                "bn_weight=randn[32] bn_bias=randn[32] training=true"},
       .perf_gpu = {"input=randn[32,64,64,65] weight=randn[128,64,3,3] padding=1 running_mean=zeros[128] running_var=ones[128] "
                    "bn_weight=randn[128] bn_bias=randn[128]",
                    "input=randn[32,16,128,129] weight=randn[32,16,3,3] padding=1 running_mean=zeros[32] running_var=ones[32] "
                    "bn_weight=randn[32] bn_bias=randn[32] training=true"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, "weight", 8); },
       .deviation = "The published test does not look at the running statistics; here training must update them, and evaluation "
                    "must not."},

      {.id = "fused_silu_layer_norm_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_silu_layer_norm_conv2d(Tensor x, Tensor? weight, Tensor conv_weight, Tensor? conv_bias=None, int[2] "
                 "conv_stride=1, int[2] conv_padding=0, int[2] conv_dilation=1, int conv_groups=1, float ln_eps=1e-05) -> Tensor",
       .summary =
           "Two-dimensional convolution (cross-correlation, zero padding) of x [batch, channels, height, width] with "
           "conv_weight [outputs, channels/groups, kH, kW], plus conv_bias [outputs], then each image is normalised by mean "
           "and biased variance over all its channels, rows and columns, then SiLU. weight is accepted and ignored; it may "
           "be None. float32 means float32, not TF32.",
       .math = "c = conv2d(x, conv_weight) + conv_bias\n"
               "n = (c - mean(c)) / sqrt(var(c) + ln_eps), mean and var over channels, height and width of one image\n"
               "y = n / (1 + exp(-n))",
       .reference = layer_normalized,
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 x=randn[1,3,H,W] weight=none conv_weight=randn[4,3,3,3]",
               "standard: H=9..13 W=9..13 x=randn[2,3,H,W] weight=none conv_weight=randn[3,3,3,3] conv_bias=randn[3] "
               "conv_stride=2 conv_padding=1",
               "standard: H=9..13 x=randn[2,4,H,11] weight=none conv_weight=randn[6,2,3,3] conv_bias=randn[6] conv_dilation=2 "
               "conv_groups=2 ln_eps=1e-3",
               "standard: x=randn[2,65,5,7] weight=none conv_weight=randn[3,65,3,3]",
               "boundary: x=randn[2,3,7,9] weight=randn[4] conv_weight=randn[4,3,3,3]",
               "boundary: x=randn[2,3,7,9]@scale(0.1) weight=none conv_weight=randn[4,3,3,3]@scale(0.1) ln_eps=0.1",
               "boundary: x=randn[2,3,3,3] weight=none conv_weight=randn[6,3,3,3] conv_bias=randn[6]",
               "boundary: x=zeros[1,3,7,9] weight=none conv_weight=randn[6,3,3,3] conv_bias=randn[6]",
               "boundary: x=randn[0,3,7,9] weight=none conv_weight=randn[2,3,3,3]",
               "boundary: x=randn[1,1,1,2] weight=none conv_weight=randn[1,1,1,1]",
               "boundary: x=randn[2,3,7,9]@offset weight=none conv_weight=randn[2,3,3,3]@offset",
               "boundary: x=randn[2,3,7,9]@strided weight=none conv_weight=randn[2,3,3,3]@transposed",
               "boundary: x=randn[2,3,7,9]@scale(1e-4) weight=none conv_weight=randn[2,3,3,3]",
               "boundary: x=randn[2,3,7,9]@shift(100) weight=none conv_weight=uniform[6,3,3,3] conv_padding=0",
               "boundary: x=randn[2,3,7,9]@poke(nan) weight=none conv_weight=randn[2,3,3,3] conv_padding=[1,2]",
               "boundary: x=randn[2,3,7,9] weight=none conv_weight=randn[2,3,3,3] conv_bias=none conv_stride=[1,2] "
               "conv_padding=1 conv_dilation=1 conv_groups=1 ln_eps=1e-4 *",
               "boundary: * x=randn[1,3,9,9] weight=randn[2] conv_weight=randn[2,3,3,3] conv_bias=randn[2] conv_dilation=[2,1]",
           },
       .perf = {"x=randn[4,16,64,64] weight=randn[64] conv_weight=randn[64,16,3,3] conv_bias=randn[64] conv_padding=1",
                "x=randn[4,32,65,64] weight=randn[32] conv_weight=randn[32,32,3,3] conv_bias=randn[32] conv_padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, "conv_weight", 20); },
       .deviation =
           "The published signature calls weight the normalisation's scale, but the published reference never reads it and "
           "its test passes None; here it is ignored too."},
  };
  return tasks;
}

}  // namespace kbx
