// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/add.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/pixel_shuffle.h>
#include <ATen/ops/relu.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

constexpr std::string_view kNoWords =
    "The published text also takes the words 'same' and 'valid' for padding, which its test never uses; here padding is one "
    "number or two.";

at::Tensor convolved(const Args& a) {
  return at::conv2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("stride"), a.ints("padding"),
                    a.ints("dilation"), a.integer("groups"));
}

Values sum(const Args& a) {
  const at::Tensor map = convolved(a);
  const auto other = a.maybe_tensor("other");
  return written(a, other ? at::add(map, *other, a.scalar("alpha")) : map);
}

// `weight` work for each element after its products.
Cost cost_of(const Args& a, const Values& out, double weight) {
  const double products = static_cast<double>(a.tensor("weight")[0].numel());
  return {traffic(a, out), outputs(out) * (2 * products + weight), Unit::matrix};
}

}  // namespace

std::span<const Task> fused_conv2d_activation_family() {
  static const Task tasks[] = {
      {.id = "fused_conv2d_add",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_conv2d_add(Tensor input, Tensor weight, Tensor? bias=None, Tensor? other=None, int[2] stride=1, int[2] "
                 "padding=0, int[2] dilation=1, int groups=1, Scalar alpha=1, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width], or "
                  "without batch, with weight [outputs, channels/groups, kH, kW], plus bias [outputs], plus alpha times other: a "
                  "number or a tensor that broadcasts to the convolution's shape. Without other nothing is added. stride, "
                  "padding and dilation are one number or two (rows, columns). Where out is given the result is written there "
                  "and returned. float32 means float32, not TF32.",
       .math = "y = conv2d(input, weight) + bias + alpha * other\n"
               "out = floor((in + 2*padding - dilation*(kernel - 1) - 1) / stride) + 1",
       .reference = sum,
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[1,3,H,W] weight=randn[2,3,3,3] bias=randn[2] other=2.0",
               "standard: H=7..13 input=randn[2,3,H,9] weight=randn[3,3,3,3] bias=randn[3] other=randn[2,3,H,9] padding=1 "
               "alpha=-0.5",
               "standard: W=9..15 input=randn[1,4,7,W] weight=randn[6,2,3,3] other=randn[6,1,1] padding=[1,0] groups=2 alpha=2",
               "standard: input=randn[1,65,5,7] weight=randn[3,65,3,3] other=randn[1,3,3,5]",
               "boundary: input=randn[1,3,9,11] weight=randn[2,3,3,3] bias=randn[2]",
               "boundary: input=randn[1,3,9,11] weight=randn[2,3,3,3] alpha=3",
               "boundary: input=randn[1,3,9,11] weight=randn[2,3,3,3] other=randn[2,4,5] stride=2 dilation=[1,2] padding=[0,1]",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] other=randn[7] alpha=0.25",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] other=randn[] alpha=-1",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] other=3 alpha=0",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] other=randn[1,2,5,7] alpha=1.5 out=like",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] out=like",
               "boundary: input=randn[0,3,5,5] weight=randn[2,3,3,3] other=1.0",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1] other=randn[1,1,1,1]",
               "boundary: input=randn[3,7,9] weight=randn[2,3,3,3] other=randn[2,5,7]",
               "boundary: input=randn[1,3,7,9]@offset weight=randn[2,3,3,3]@offset other=randn[1,2,5,7]@offset",
               "boundary: input=randn[1,3,7,9]@strided weight=randn[2,3,3,3]@transposed other=randn[1,2,5,7]@transposed",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) weight=randn[2,3,3,3] other=randn[1,2,5,7]@scale(1e-4)",
               "boundary: input=randn[1,3,7,9]@shift(100) weight=randn[2,3,3,3] other=randn[1,2,4,9]@shift(-1000) padding=1 "
               "stride=[2,1]",
               "boundary: input=randn[1,3,7,9]@poke(nan) weight=randn[2,3,3,3] other=randn[1,2,5,7]@poke(inf)",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=none other=0.5 stride=[1,2] padding=1 dilation=1 "
               "groups=1 alpha=2 *",
               "boundary: * input=randn[1,3,7,9] weight=randn[3,1,3,3] bias=randn[3] other=randn[1,3,5,7] groups=3",
           },
       .perf = {"input=randn[8,16,64,64] weight=randn[32,16,3,3] other=randn[8,32,64,64] padding=1",
                "input=randn[8,32,65,64] weight=randn[32,32,3,3] bias=randn[32] other=randn[8,32,65,64] padding=1 alpha=0.5"},
       .perf_gpu =
           {"input=randn[32,32,128,128] weight=randn[32,32,3,3] other=randn[32,32,128,128] padding=1",
            "input=randn[16,64,65,64] weight=randn[128,64,3,3] bias=randn[128] other=randn[16,128,65,64] padding=1 alpha=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 2); },
       .deviation =
           "The published reference ignores out; here it is written. The words 'same' and 'valid' for padding, which the "
           "published test never uses, are not taken."},

      {.id = "fused_gelu_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_gelu_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
                 "dilation=1, int groups=1, str approximate='none', *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width], or "
                  "without batch, with weight [outputs, channels/groups, kH, kW], plus bias [outputs], then the Gaussian error "
                  "linear unit: exactly, by erf, or with approximate='tanh' its tanh form. Where out is given the result is "
                  "written there and returned. float32 means float32, not TF32.",
       .math = "c = conv2d(input, weight) + bias\n"
               "approximate='none': y = c/2 * (1 + erf(c / sqrt(2)))\n"
               "approximate='tanh': y = c/2 * (1 + tanh(sqrt(2/pi) * (c + 0.044715 * c^3)))",
       .reference = [](const Args& a) -> Values { return written(a, at::gelu(convolved(a), a.text("approximate"))); },
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[1,3,H,W] weight=randn[2,3,3,3]@scale(0.2)",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[3,3,3,3]@scale(0.2) bias=randn[3] padding=1 "
               "stride=2 approximate=tanh",
               "standard: H=9..13 input=randn[1,4,H,11] weight=randn[4,1,3,3]@scale(0.3) dilation=2 groups=4",
               "standard: input=randn[1,65,5,7] weight=randn[3,65,3,3]@scale(0.04) bias=randn[3]",
               "boundary: input=randn[1,3,7,9]@scale(0.3) weight=randn[2,3,3,3]@scale(0.3) approximate=tanh",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=randn[2]@shift(-3) padding=[0,1]",
               "boundary: input=randn[1,3,7,9] weight=randn[4,3,1,1]@scale(0.3) approximate=none out=like",
               "boundary: input=randn[0,3,5,5] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1] approximate=tanh",
               "boundary: input=randn[3,7,9] weight=randn[2,3,3,3]@scale(0.2)",
               "boundary: input=randn[1,3,7,9]@offset weight=randn[2,3,3,3]@offset",
               "boundary: input=randn[1,3,7,9]@strided weight=randn[2,3,3,3]@transposed@scale(0.2)",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@shift(10) weight=randn[2,3,3,3]@scale(0.1) padding=1 approximate=tanh",
               "boundary: input=randn[1,3,7,9]@poke(nan) weight=randn[2,3,3,3] padding=1",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3]@scale(0.2) bias=none stride=[1,2] padding=1 dilation=1 "
               "groups=1 approximate=tanh *",
               "boundary: * input=randn[1,3,7,9] weight=randn[2,3,3,3]@scale(0.2) bias=randn[2] dilation=[2,1]",
           },
       .perf = {"input=randn[8,16,64,64] weight=randn[32,16,3,3]@scale(0.1) padding=1",
                "input=randn[4,32,65,64] weight=randn[32,32,3,3]@scale(0.1) bias=randn[32] padding=1 approximate=tanh"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 16); },
       .deviation = kNoWords},

      {.id = "fused_leaky_relu_conv2d",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_leaky_relu_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, "
                 "int[2] dilation=1, int groups=1, float negative_slope=0.01, bool inplace=False) -> Tensor",
       .summary = "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width], or "
                  "without batch, with weight [outputs, channels/groups, kH, kW], plus bias [outputs]; negative results are "
                  "multiplied by negative_slope. inplace concerns an intermediate result only: no argument changes. float32 "
                  "means float32, not TF32.",
       .math = "c = conv2d(input, weight) + bias\ny = c for c > 0, negative_slope * c otherwise",
       .reference = [](const Args& a) -> Values { return {at::leaky_relu(convolved(a), a.real("negative_slope"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[1,3,H,W] weight=randn[2,3,3,3] bias=randn[2]",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[3,3,3,3] bias=randn[3] stride=2 padding=1",
               "standard: H=9..13 input=randn[1,6,H,11] weight=randn[6,1,3,3] dilation=2 groups=6 negative_slope=0.1",
               "standard: input=randn[1,65,5,7] weight=randn[3,65,3,3] negative_slope=0.2",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=randn[2] negative_slope=0.1 inplace=true",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] negative_slope=0",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] negative_slope=-0.5",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] negative_slope=2.0",
               "boundary: input=randn[0,3,5,5] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1]",
               "boundary: input=randn[3,7,9] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@offset weight=randn[2,3,3,3]@offset",
               "boundary: input=randn[1,3,7,9]@strided weight=randn[2,3,3,3]@transposed",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@shift(100) weight=randn[2,3,3,3] padding=[1,2]",
               "boundary: input=randn[1,3,7,9]@poke(nan) weight=randn[2,3,3,3] padding=1",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=none stride=[1,2] padding=1 dilation=1 groups=1 "
               "negative_slope=0.3 inplace=true *",
               "boundary: * input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=randn[2] dilation=[2,1]",
           },
       .perf = {"input=randn[8,16,64,64] weight=randn[32,16,3,3] bias=randn[32] padding=1",
                "input=randn[4,32,65,64] weight=randn[32,32,3,3] bias=randn[32] padding=1 negative_slope=0.1"},
       .perf_gpu = {"input=randn[1,3,1408,1408] weight=randn[6,3,3,3] bias=randn[6]",
                    "input=randn[32,32,128,129] weight=randn[64,32,3,3] bias=randn[64] padding=1 negative_slope=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 2); }},

      {.id = "fused_pixel_shuffle_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_pixel_shuffle_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, "
                 "int[2] dilation=1, int groups=1, int upscale_factor=2) -> Tensor",
       .summary =
           "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width], or "
           "without batch, with weight [outputs, channels/groups, kH, kW], plus bias [outputs], then a pixel shuffle: each "
           "r * r channels that follow one another become one channel of r times the height and width, r = "
           "upscale_factor. Raises where r * r does not divide the outputs. float32 means float32, not TF32.",
       .math = "c = conv2d(input, weight) + bias\n"
               "y[n, k, i*r + p, j*r + q] = c[n, k*r*r + p*r + q, i, j], 0 <= p, q < r",
       .reference = [](const Args& a) -> Values { return {at::pixel_shuffle(convolved(a), a.integer("upscale_factor"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: H=5..9 W=5..9 input=randn[1,3,H,W] weight=randn[8,3,3,3]",
               "standard: H=5..9 W=5..9 input=randn[2,3,H,W] weight=randn[4,3,3,3] bias=randn[4] padding=1",
               "standard: H=9..13 input=randn[1,3,H,9] weight=randn[9,3,3,3] stride=2 upscale_factor=3",
               "standard: input=randn[1,65,4,5] weight=randn[4,65,3,3] bias=randn[4]",
               "boundary: input=randn[1,4,7,6] weight=randn[8,2,3,3] groups=2 dilation=2",
               "boundary: input=randn[1,3,6,7] weight=randn[5,3,3,3] upscale_factor=1",
               "boundary: input=randn[1,3,4,5] weight=randn[16,3,1,1] upscale_factor=4",
               "boundary: input=randn[1,3,4,5] weight=randn[6,3,1,1] raises",
               "boundary: input=randn[0,3,5,5] weight=randn[4,3,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[4,1,1,1]",
               "boundary: input=randn[3,5,6] weight=randn[8,3,3,3]",
               "boundary: input=randn[1,3,5,6]@offset weight=randn[4,3,3,3]@offset",
               "boundary: input=randn[1,3,5,6]@strided weight=randn[8,3,3,3]@transposed",
               "boundary: input=randn[1,3,5,6]@scale(1e-4) weight=randn[4,3,3,3]",
               "boundary: input=randn[1,3,5,6]@shift(100) weight=randn[4,3,3,3] padding=[1,2]",
               "boundary: input=randn[1,3,5,6]@poke(nan) weight=randn[4,3,3,3] padding=1",
               "boundary: input=randn[1,3,6,7] weight=randn[9,3,3,3] bias=none stride=[1,2] padding=1 dilation=1 groups=1 "
               "upscale_factor=3 *",
               "boundary: * input=randn[1,3,6,7] weight=randn[4,3,3,3] bias=randn[4] dilation=[2,1]",
           },
       .perf = {"input=randn[8,16,64,64] weight=randn[32,16,3,3] bias=randn[32] padding=1",
                "input=randn[4,3,128,129] weight=randn[12,3,3,3] bias=randn[12] padding=1"},
       .perf_gpu = {"input=randn[16,64,128,128] weight=randn[64,64,3,3] bias=randn[64] padding=1",
                    "input=randn[16,3,512,513] weight=randn[12,3,3,3] bias=randn[12] padding=1"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 0); },
       .deviation = "The published cases use square images, in which rows and columns of a block can be exchanged unseen only by "
                    "luck; here heights and widths differ, and upscale_factor has other values than 2."},

      {.id = "fused_relu_conv2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_relu_conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
                 "dilation=1, int groups=1, bool inplace=False) -> Tensor",
       .summary = "Two-dimensional convolution (cross-correlation, zero padding) of input [batch, channels, height, width], or "
                  "without batch, with weight [outputs, channels/groups, kH, kW], plus bias [outputs]; negative results become "
                  "0, NaN stays NaN. inplace concerns an intermediate result only: no argument changes. float32 means float32, "
                  "not TF32.",
       .math = "y = max(0, conv2d(input, weight) + bias)\n"
               "out = floor((in + 2*padding - dilation*(kernel - 1) - 1) / stride) + 1",
       .reference = [](const Args& a) -> Values { return {at::relu(convolved(a))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: H=7..11 W=7..13 input=randn[1,3,H,W] weight=randn[2,3,3,3]",
               "standard: H=9..13 W=9..13 input=randn[2,3,H,W] weight=randn[3,3,3,3] bias=randn[3] stride=2 padding=1",
               "standard: H=9..13 input=randn[1,4,H,11] weight=randn[2,2,3,3] dilation=2 groups=2",
               "standard: input=randn[1,65,5,7] weight=randn[3,65,3,3] bias=randn[3]",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=randn[2] inplace=true",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,2,3] bias=randn[2]@shift(-100)",
               "boundary: input=randn[0,3,5,5] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1]",
               "boundary: input=randn[3,7,9] weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@offset weight=randn[2,3,3,3]@offset",
               "boundary: input=randn[1,3,7,9]@strided weight=randn[2,3,3,3]@transposed",
               "boundary: input=randn[1,3,7,9]@scale(1e-4) weight=randn[2,3,3,3]",
               "boundary: input=randn[1,3,7,9]@shift(100) weight=randn[2,3,3,3] padding=[1,2]",
               "boundary: input=randn[1,3,7,9]@poke(nan) weight=randn[2,3,3,3] padding=1",
               "boundary: input=randn[1,3,7,9] weight=randn[3,1,3,3] groups=3 dilation=[1,2] padding=[0,3]",
               "boundary: input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=none stride=[1,2] padding=1 dilation=1 groups=1 "
               "inplace=true *",
               "boundary: * input=randn[1,3,7,9] weight=randn[2,3,3,3] bias=randn[2] dilation=[2,1]",
           },
       .perf = {"input=randn[8,16,64,64] weight=randn[32,16,3,3] padding=1",
                "input=randn[1,3,194,194] weight=randn[64,3,3,3] bias=randn[64]"},
       .perf_gpu = {"input=randn[32,64,64,64] weight=randn[128,64,3,3] padding=1",
                    "input=randn[4,3,514,514] weight=randn[64,3,3,3] bias=randn[64]"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 1); },
       .deviation = kNoWords},
  };
  return tasks;
}

}  // namespace kbx
