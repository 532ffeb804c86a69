// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

at::Tensor scale_of(const at::Tensor& x, at::IntArrayRef dims, double levels) {
  return x.numel() == 0 ? x.sum(dims, true) : x.abs().amax(dims, true) / levels;
}

at::Tensor quantise(const at::Tensor& x, const at::Tensor& scale, double levels) {
  return (x / scale.masked_fill(scale == 0, 1)).round().clamp(-levels, levels);
}

Values bmm_w8a8(const Args& a) {
  const at::Tensor input = a.tensor("input"), mat2 = a.tensor("mat2");
  const at::Tensor row_scale = scale_of(input, {2}, 127), column_scale = scale_of(mat2, {1}, 127);
  return {at::bmm(quantise(input, row_scale, 127), quantise(mat2, column_scale, 127)) * row_scale * column_scale};
}

// Float16 is too narrow for the scales and the sum: a vector of the default type promotes it.
at::Tensor widened(const at::Tensor& x) { return x * at::ones({1}, at::device(x.device())); }

Values linear_w4a16(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = widened(a.tensor("weight"));
  const at::Tensor scale = scale_of(weight, {1}, 7);
  at::Tensor result = at::matmul(widened(input), (quantise(weight, scale, 7) * scale).t());
  if (auto bias = a.maybe_tensor("bias")) result = result + *bias;
  return {result.to(input.scalar_type())};
}

Values conv2d_w8a8(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  const at::Tensor scale = scale_of(input, {0, 1, 2, 3}, 127), channel_scale = scale_of(weight, {1, 2, 3}, 127);
  at::Tensor result =
      at::conv2d(quantise(input, scale, 127), quantise(weight, channel_scale, 127), {}, a.ints("stride"), a.ints("padding")) *
      (scale * channel_scale).reshape({1, -1, 1, 1});
  if (auto bias = a.maybe_tensor("bias")) result = result + bias->reshape({1, -1, 1, 1});
  return {result};
}

constexpr std::string_view kDeviation =
    "The published test compares with the unquantised result at a tolerance that the demanded scheme cannot meet, and its text "
    "leaves the scheme open. Here the scheme is fixed, the truth is the scheme itself in exact arithmetic, and the unquantised "
    "result fails.";

}  // namespace

std::span<const Task> quantised_product_family() {
  static const Task tasks[] = {
      {.id = "bmm_w8a8",
       .category = Category::quantization,
       .difficulty = 3,
       .schema = "bmm_w8a8(Tensor input, Tensor mat2) -> Tensor",
       .summary =
           "Batched matrix product in int8: quantises each row of each input matrix (B, M, K) and each column of each matrix of "
           "mat2 (B, K, N) symmetrically to int8, multiplies with int32 accumulation, and scales back to float32. Scales are "
           "float32 numbers of their matrix alone. The result must show the quantisation: the unquantised product is wrong here.",
       .math =
           "sa[b, i] = max over k of |input[b, i, k]| / 127;  sm[b, j] = max over k of |mat2[b, k, j]| / 127\n"
           "qa[b, i, k] = round(input[b, i, k] / sa[b, i]), qm[b, k, j] = round(mat2[b, k, j] / sm[b, j]): to nearest, ties to\n"
           "even, in [-127, 127]; a row or column of zeros gives zeros\n"
           "y[b, i, j] = sa[b, i] * sm[b, j] * (sum over k of qa[b, i, k] * qm[b, k, j] in int32)",
       .reference = bmm_w8a8,
       .oracle = w8a8_product_oracle,
       .published = [](const Args& a) -> Values { return {at::bmm(a.tensor("input"), a.tensor("mat2"))}; },
       .contract = quantised("int8 per input row x per mat2 column of each matrix, int32 accumulation"),
       .cases =
           {
               "standard: M=17..40 K=65..200 N=17..40 input=randn[2,M,K] mat2=randn[2,K,N]",
               "standard: K=1000..2047 input=randn[1,7,K] mat2=randn[1,K,9]",
               "standard: B=3..7 M=9..17 K=33..65 N=9..17 input=randn[B,M,K] mat2=uniform(-1,1)[B,K,N]",
               "boundary: M=17..33 K=33..90 N=33..60 input=randn[2,M,K]@strided mat2=randn[2,K,N]@transposed",
               "boundary: input=values(1,2,3,4)[2,1,2] mat2=values(-1,0,1,3,2,1,5,5,5,0,-2,7)[2,2,3]",
               "boundary: input=full(127)[1,1,1] mat2=full(-127)[1,1,1]",
               "boundary: input=ones[2,1,2] mat2=values(0.01,100,-100,0.01,1,2,3,4)[2,2,2]",
               "boundary: input=values(1,1,1,1,100,100,100,100)[2,2,2] mat2=randn[2,2,5]",
               "boundary: input=zeros[2,3,17] mat2=randn[2,17,5]",
               "boundary: input=randn[0,3,17] mat2=randn[0,17,5]",
               "boundary: input=randn[2,0,17] mat2=randn[2,17,5]",
               "boundary: input=randn[2,17,33]@offset mat2=randn[2,33,9]@offset",
               "boundary: input=randn[3,9,33]@expanded mat2=randn[3,33,9]",
               "boundary: input=randn[2,17,33]@scale(1e-4) mat2=randn[2,33,9]@scale(1e-4)",
               "boundary: input=randn[2,17,33]@shift(10) mat2=randn[2,33,9]",
               "boundary: input=randn[2,8,16]@scale(50) mat2=randn[2,16,8]@scale(0.1) *",
               "boundary: * input=randn[2,17,33] mat2=randn[2,33,9]",
           },
       .perf = {"input=randn[4,256,512] mat2=randn[4,512,512]", "input=randn[8,129,255] mat2=randn[8,255,513]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out) * static_cast<double>(a.tensor("mat2").size(1)), Unit::matrix};
       },
       .deviation = kDeviation},

      {.id = "linear_w4a16",
       .category = Category::quantization,
       .difficulty = 4,
       .schema = "linear_w4a16(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
       .summary =
           "Linear layer with int4 weights: quantises each row (output channel) of the float16 weight (N, K) symmetrically to "
           "the "
           "integers -7..7, which a kernel may pack two to a byte, and multiplies the float16 input (.., K) with the weights "
           "scaled back; the float16 bias (N) is added. Scales and quotients are float32, sums accumulate in float32, and the "
           "result is rounded once, to float16; weights that are scaled back may be rounded to float16. The result must show the "
           "quantisation: the unquantised layer is wrong here.",
       .math = "s[n] = max over k of |weight[n, k]| / 7\n"
               "q[n, k] = round(weight[n, k] / s[n]): to nearest, ties to even, in [-7, 7]; a row of zeros gives zeros\n"
               "y[.., n] = (sum over k of input[.., k] * (q[n, k] * s[n])) + bias[n]",
       .reference = linear_w4a16,
       .oracle = w4a16_linear_oracle,
       .published = [](const Args& a) -> Values {
         return {at::linear(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"))};
       },
       .contract = quantised("int4 weights per output channel, float16 input, float32 accumulation"),
       .cases =
           {
               "standard: M=9..17 K=65..260 N=33..130 input=randn[M,K]:f16 weight=randn[N,K]:f16",
               "standard: M=5..13 K=65..130 N=33..65 input=randn[M,K]:f16 weight=randn[N,K]:f16@scale(0.1) bias=randn[N]:f16",
               "standard: K=1000..2047 input=randn[3,K]:f16 weight=randn[17,K]:f16 bias=randn[17]:f16",
               "standard: K=33..90 N=33..65 input=randn[2,5,K]:f16 weight=uniform(-1,1)[N,K]:f16",
               "boundary: input=ones[1,4]:f16 weight=values(7,-8,3.5,-3.5)[1,4]:f16",
               "boundary: input=ones[1,4]:f16 weight=values(100,0.1,0.1,0.1,0.1,0.1,0.1,0.1)[2,4]:f16",
               "boundary: input=randn[2,4]:f16 weight=values(1,2,3,4,0,0,0,0,5,6,7,8)[3,4]:f16",
               "boundary: input=full(2)[1,4]:f16 weight=values(0.5,-0.5,1,-1)[1,4]:f16 bias=full(10)[1]:f16",
               "boundary: input=randn[33]:f16 weight=randn[9,33]:f16",
               "boundary: input=randn[0,17]:f16 weight=randn[5,17]:f16",
               "boundary: input=randn[1,1]:f16 weight=randn[1,1]:f16",
               "boundary: input=randn[9,65]:f16@strided weight=randn[33,65]:f16@transposed bias=randn[33]:f16@strided",
               "boundary: input=randn[17,33]:f16@offset weight=randn[9,33]:f16@offset bias=randn[9]:f16@offset",
               "boundary: input=randn[9,33]:f16@expanded weight=randn[9,33]:f16",
               "boundary: input=randn[17,33]:f16@scale(1e-2) weight=randn[9,33]:f16@scale(1e-2)",
               "boundary: input=randn[17,33]:f16@shift(10) weight=randn[9,33]:f16 bias=randn[9]:f16",
               "boundary: input=randn[17,33]:f16 weight=randn[9,33]:f16 bias=randn[9]:f16 *",
               "boundary: * input=randn[17,33]:f16 weight=randn[9,33]:f16",
           },
       .perf = {"input=randn[8,1024]:f16 weight=randn[512,1024]:f16",
                "input=randn[17,767]:f16 weight=randn[1023,767]:f16 bias=randn[1023]:f16"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out) * static_cast<double>(a.tensor("weight").size(1)), Unit::matrix};
       },
       .deviation =
           "The published test compares with the unquantised layer at a tolerance that int4 cannot meet. Here the scheme is "
           "fixed, the truth is the scheme itself in exact arithmetic, and the unquantised layer fails. The weight arrives in "
           "float16: packing is left to the kernel, and nobody looks for it."},

      {.id = "conv2d_w8a8",
       .category = Category::quantization,
       .difficulty = 3,
       .schema = "conv2d_w8a8(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0) -> Tensor",
       .summary =
           "Two-dimensional convolution in int8: quantises the whole input (B, C, H, W) with one scale and each output channel "
           "of "
           "the weight (O, C, kH, kW) with a scale of its own, symmetrically to int8, convolves with int32 accumulation (zeros "
           "around the input where padding asks for them), scales back to float32 and adds the bias (O), which is not quantised. "
           "stride and padding are one number or two, for rows and columns. The result must show the quantisation: the "
           "unquantised convolution is wrong here.",
       .math = "sx = max of |input| / 127;  sw[o] = max over c, i, j of |weight[o, c, i, j]| / 127\n"
               "qx = round(input / sx), qw[o] = round(weight[o] / sw[o]): to nearest, ties to even, in [-127, 127]; zeros give "
               "zeros\n"
               "y[b, o, h, w] = sx * sw[o] * (sum over c, i, j of qx[b, c, h * stride + i - padding, w * stride + j - padding]\n"
               "* qw[o, c, i, j] in int32) + bias[o]",
       .reference = conv2d_w8a8,
       .oracle = w8a8_conv2d_oracle,
       .published = [](const Args& a) -> Values {
         return {at::conv2d(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias"), a.ints("stride"), a.ints("padding"))};
       },
       .contract = quantised("int8 per tensor (input) x per output channel (weight), int32 accumulation"),
       .cases =
           {
               "standard: H=9..17 W=9..17 input=randn[2,3,H,W] weight=randn[8,3,3,3] bias=randn[8] padding=1",
               "standard: H=7..13 W=7..13 input=randn[1,16,H,W] weight=randn[17,16,1,1]",
               "standard: H=9..17 W=9..17 input=randn[2,5,H,W] weight=randn[7,5,3,2] bias=randn[7] stride=2",
               "standard: H=5..9 W=5..9 input=uniform(-1,1)[1,65,H,W] weight=randn[9,65,3,3] stride=[2,1] padding=[1,2]",
               "boundary: input=randn[3,4,9,9] weight=randn[5,4,3,3] stride=[1,2] padding=[2,0]",
               "boundary: input=values(1,-2,3,4)[1,1,2,2] weight=values(1,3,-2,100,50,25,0,1)[2,1,2,2]",
               "boundary: input=randn[1,2,4,4]@scale(0.01) weight=randn[3,2,2,2]@scale(0.01) bias=values(100,-100,50)",
               "boundary: input=randn[1,1,5,5] weight=values(0.01,0.02,0.03,0.04,10,20,-30,40)[2,1,2,2]",
               "boundary: input=zeros[1,2,5,5] weight=randn[3,2,3,3] bias=randn[3]",
               "boundary: input=randn[1,2,5,5] weight=zeros[3,2,3,3]",
               "boundary: input=randn[0,2,5,5] weight=randn[3,2,3,3]",
               "boundary: input=randn[1,1,1,1] weight=randn[1,1,1,1]",
               "boundary: input=randn[1,3,9,7]@transposed weight=randn[5,3,3,3]@transposed bias=randn[5]@strided",
               "boundary: input=randn[2,3,9,7]@strided weight=randn[5,3,3,3]@strided padding=1",
               "boundary: input=randn[1,3,9,7]@offset weight=randn[5,3,3,3]@offset bias=randn[5]@offset",
               "boundary: input=randn[3,3,7,7]@expanded weight=randn[5,3,3,3]",
               "boundary: input=randn[1,3,9,9]@scale(1e-4) weight=randn[5,3,3,3]@scale(1e-4)",
               "boundary: input=randn[1,3,9,9]@shift(10) weight=randn[5,3,3,3]",
               "boundary: input=randn[1,3,9,9] weight=randn[5,3,3,3] bias=none stride=2 padding=1 *",
               "boundary: * input=randn[1,3,9,9] weight=randn[5,3,3,3]",
           },
       .perf = {"input=randn[2,64,56,56] weight=randn[64,64,3,3] padding=1",
                "input=randn[2,3,224,223] weight=randn[64,3,7,7] bias=randn[64] stride=2 padding=3"},
       .perf_gpu = {"input=randn[16,64,112,112] weight=randn[64,64,3,3] padding=1",
                    "input=randn[16,3,224,223] weight=randn[64,3,7,7] bias=randn[64] stride=2 padding=3"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor weight = a.tensor("weight");
         const double taps = static_cast<double>(weight.size(1) * weight.size(2) * weight.size(3));
         return {traffic(a, out), 2 * outputs(out) * taps, Unit::matrix};
       },
       .deviation = kDeviation},
  };
  return tasks;
}

}  // namespace kbx
