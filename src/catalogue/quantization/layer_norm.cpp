// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

Values layer_norm(const Args& a) {
  return {at::layer_norm(a.tensor("input"), a.ints("normalized_shape"), a.maybe_tensor("weight"), a.maybe_tensor("bias"),
                         a.real("eps"))};
}

Values layernorm_w8a8(const Args& a) {
  const at::Tensor y = layer_norm(a).front();
  if (y.numel() == 0) return {y};
  std::vector<int64_t> dims;
  for (int64_t d = -static_cast<int64_t>(a.ints("normalized_shape").size()); d < 0; ++d) dims.push_back(d);
  const at::Tensor scale = y.abs().amax(dims, true) / 127;
  return {(y / scale.masked_fill(scale == 0, 1)).round() * scale};
}

}  // namespace

std::span<const Task> quantised_layer_norm_family() {
  static const Task tasks[] = {
      {.id = "layernorm_w8a8",
       .category = Category::quantization,
       .difficulty = 3,
       .schema =
           "layernorm_w8a8(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> "
           "Tensor",
       .summary =
           "Layer normalisation whose result goes through int8: normalises each group, the trailing dimensions normalized_shape, "
           "by its mean and biased variance in float32, multiplies by weight and adds bias where they are given (both float32 "
           "of normalized_shape, not quantised), quantises the group symmetrically to int8 with one scale, and returns the "
           "integers scaled back, as float32. Nothing before this is quantised. The result must show the quantisation: each "
           "group holds at most 255 different values, and the plain layer normalisation is wrong here.",
       .math = "v = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * weight + bias, over each group\n"
               "s = max over the group of |v| / 127\n"
               "y = s * round(v / s): to nearest, ties to even; a group of zeros gives zeros",
       .reference = layernorm_w8a8,
       .oracle = w8a8_layer_norm_oracle,
       .published = layer_norm,
       .contract = quantised("result in int8 per group, normalised in float32"),
       .cases =
           {
               "standard: M=17..60 N=65..300 input=randn[M,N] normalized_shape=[N]",
               "standard: M=17..40 N=65..300 input=randn[M,N] normalized_shape=[N] weight=randn[N] bias=randn[N]",
               "standard: N=1000..4095 input=randn[5,N] normalized_shape=[N] weight=uniform(0.5,1.5)[N]",
               "standard: A=3..9 B=5..13 C=9..17 input=randn[A,B,C] normalized_shape=[B,C] weight=randn[B,C] bias=randn[B,C]",
               "boundary: A=3..9 C=33..65 input=randn[A,5,C] normalized_shape=[C] bias=randn[C] eps=1e-3",
               "boundary: input=values(1,2,3,4,5,6,7,9)[2,4] normalized_shape=[4]",
               "boundary: input=randn[2,4] normalized_shape=[4] weight=values(100,0.01,-100,0.01) bias=values(50,-50,0,100)",
               "boundary: input=full(5)[2,8] normalized_shape=[8]",
               "boundary: input=full(5)[2,8] normalized_shape=[8] bias=randn[8]",
               "boundary: input=randn[4,1] normalized_shape=[1]",
               "boundary: input=randn[1] normalized_shape=[1] bias=randn[1]",
               "boundary: input=zeros[3,17] normalized_shape=[17] weight=randn[17]",
               "boundary: input=randn[0,17] normalized_shape=[17]",
               "boundary: input=randn[17,33]@strided normalized_shape=[33] weight=randn[33]@strided",
               "boundary: input=randn[33,17]@transposed normalized_shape=[17]",
               "boundary: input=randn[17,33]@offset normalized_shape=[33] weight=randn[33]@offset bias=randn[33]@offset",
               "boundary: input=randn[9,33]@expanded normalized_shape=[33]",
               "boundary: input=randn[17,65]@scale(1e-3) normalized_shape=[65] eps=1e-5",
               "boundary: input=randn[17,65]@scale(1e-3) normalized_shape=[65] eps=1e-12",
               "boundary: input=randn[17,65] normalized_shape=[65] eps=0.5",
               "boundary: input=randn[9,257]@shift(100) normalized_shape=[257]",
               "boundary: input=randn[9,17] normalized_shape=[17] weight=none bias=none eps=1e-3 *",
               "boundary: * input=randn[9,17] normalized_shape=[17] weight=randn[17]",
           },
       .perf = {"input=randn[1024,2048] normalized_shape=[2048] weight=randn[2048] bias=randn[2048]",
                "input=randn[1537,1023] normalized_shape=[1023] weight=randn[1023] bias=randn[1023]"},
       .perf_gpu = {"input=randn[8192,2048] normalized_shape=[2048] weight=randn[2048] bias=randn[2048]",
                    "input=randn[4097,1023] normalized_shape=[1023] weight=randn[1023] bias=randn[1023]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 14 * outputs(out)};
       },
       .deviation =
           "The published text does not say what is quantised, and its test compares with plain layer normalisation. Here the "
           "result is quantised, for each group; the truth is this scheme in exact arithmetic, and the plain result fails. Where "
           "the variance lies below the rounding of the mean, as in one published case, kernels are allowed what the rounding of "
           "the mean makes of it."},
  };
  return tasks;
}

}  // namespace kbx
