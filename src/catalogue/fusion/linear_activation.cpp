// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/elu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tanh.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

at::Tensor linear(const Args& a) { return at::linear(a.tensor("input"), a.tensor("weight"), a.maybe_tensor("bias")); }

Values layer_normalized(const Args& a) {
  const at::Tensor rectified = at::relu(linear(a));
  const auto shape = a.maybe_ints("normalized_shape").value_or(std::vector{rectified.size(-1)});
  return {at::layer_norm(rectified, shape, {}, {}, a.real("eps"))};
}

Values log_probabilities(const Args& a) {
  at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  std::optional<at::Tensor> bias = a.maybe_tensor("bias");
  if (const auto dtype = a.maybe_dtype("dtype")) {
    input = input.to(*dtype);
    weight = weight.to(*dtype);
    if (bias) bias = bias->to(*dtype);
  }
  return {at::log_softmax(at::linear(input, weight, bias), a.integer("dim"))};
}

// `weight` work for each element after its products.
Cost cost_of(const Args& a, const Values& out, double weight) {
  return {traffic(a, out), outputs(out) * (2 * static_cast<double>(a.tensor("weight").size(-1)) + weight), Unit::matrix};
}

}  // namespace

std::span<const Task> fused_linear_activation_family() {
  static const Task tasks[] = {
      {.id = "fused_elu_linear",
       .category = Category::fusion,
       .difficulty = 4,
       .schema =
           "fused_elu_linear(Tensor input, Tensor weight, Tensor? bias=None, float alpha=1.0, bool inplace=False) -> Tensor",
       .summary = "Linear layer, input [..., k] times the transpose of weight [n, k] plus bias [n], then the exponential linear "
                  "unit. inplace concerns an intermediate result only: no argument changes. float32 means float32, not TF32; "
                  "float16 inputs are multiplied and summed in float32, and the result is float16.",
       .math = "z = input weight' + bias\ny = z for z > 0, alpha * (exp(z) - 1) otherwise",
       .reference = [](const Args& a) -> Values { return {at::elu(linear(a), a.real("alpha"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.1) weight=randn[N,K] bias=randn[N]",
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.1) weight=randn[N,K] alpha=0.5",
               "standard: K=1000..2000 input=randn[7,K]@scale(0.03) weight=randn[9,K] bias=randn[9]",
               "standard: M=17..50 K=65..130 N=33..60 input=randn[M,K]:f16@scale(0.1) weight=randn[N,K]:f16 bias=randn[N]:f16 "
               "alpha=0.5",
               "boundary: input=randn[17,65] weight=randn[9,65] bias=randn[9] inplace=true",
               "boundary: input=randn[9,33]:bf16@scale(0.2) weight=randn[17,33]:bf16 alpha=2.0",
               "boundary: input=randn[5,7,33]@scale(0.2) weight=randn[9,33] bias=randn[9]",
               "boundary: input=randn[33] weight=randn[9,33] bias=randn[9]",
               "boundary: input=randn[9,33] weight=randn[17,33] alpha=0.0",
               "boundary: input=randn[9,33]@scale(0.2) weight=randn[17,33] alpha=-1.5",
               "boundary: input=randn[0,33] weight=randn[9,33]",
               "boundary: input=randn[1,1] weight=randn[1,1] bias=randn[1]",
               "boundary: input=randn[17,33]@offset@scale(0.2) weight=randn[9,33]@offset bias=randn[9]@offset",
               "boundary: input=randn[17,33]@strided@scale(0.2) weight=randn[9,33]@transposed bias=randn[9]@strided",
               "boundary: input=randn[17,33]@transposed@scale(0.2) weight=randn[9,33]@strided",
               "boundary: input=randn[17,33]@scale(1e-4) weight=randn[9,33]",
               "boundary: input=randn[17,33]@shift(100) weight=randn[9,33]",
               "boundary: input=randn[9,33]@poke(nan) weight=randn[17,33]",
               "boundary: input=values(-2,-1,0,1)[4,1] weight=values(1)[1,1] bias=values(-1)",
               "boundary: input=randn[9,33]@scale(0.2) weight=randn[7,33] bias=none alpha=0.7 inplace=true *",
               "boundary: * input=randn[9,33]@scale(0.2) weight=randn[7,33] bias=randn[7]",
           },
       .perf = {"input=randn[2048,256] weight=randn[512,256] bias=randn[512]",
                "input=randn[1000,1025] weight=randn[257,1025] bias=randn[257] alpha=0.5",
                "input=randn[768,512]:f16 weight=randn[640,512]:f16 bias=randn[640]:f16"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 10); }},

      {.id = "fused_layer_norm_relu_linear",
       .category = Category::fusion,
       .difficulty = 4,
       .schema =
           "fused_layer_norm_relu_linear(Tensor input, Tensor weight, Tensor? bias=None, int[1]? normalized_shape=None, float "
           "eps=1e-05, bool elementwise_affine=True) -> Tensor",
       .summary =
           "Linear layer, input [..., k] times the transpose of weight [n, k] plus bias [n], then ReLU, then layer "
           "normalisation by mean and biased variance over the last dimensions: as many as normalized_shape (a number or a "
           "list of sizes) has, by default the last one. There are no parameters of the normalisation, so "
           "elementwise_affine changes nothing. float32 means float32, not TF32.",
       .math = "r = max(0, input weight' + bias)\n"
               "y = (r - mean(r)) / sqrt(var(r) + eps), mean and var over the normalised dimensions",
       .reference = layer_normalized,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K] weight=randn[N,K] bias=randn[N] normalized_shape=N",
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K] weight=randn[N,K] normalized_shape=[N] eps=1e-3",
               "standard: K=17..33 N=1000..2000 input=randn[5,K] weight=randn[N,K] bias=randn[N]",
               "standard: K=1000..2000 input=randn[7,K] weight=randn[19,K] bias=randn[19] normalized_shape=19",
               "boundary: input=randn[5,7,33] weight=randn[9,33] bias=randn[9] normalized_shape=[7,9]",
               "boundary: input=randn[5,7,33] weight=randn[9,33] bias=randn[9] normalized_shape=9",
               "boundary: input=randn[33] weight=randn[9,33] bias=randn[9] normalized_shape=9",
               "boundary: input=randn[17,33] weight=randn[9,33] normalized_shape=9 elementwise_affine=false",
               "boundary: input=randn[17,33]@scale(0.03) weight=randn[9,33] normalized_shape=9 eps=0.1",
               "boundary: input=randn[9,33] weight=randn[17,33] bias=randn[17]@shift(-100) normalized_shape=17",
               "boundary: input=randn[0,33] weight=randn[9,33] normalized_shape=9",
               "boundary: input=randn[1,1] weight=randn[1,1] bias=randn[1] normalized_shape=1",
               "boundary: input=randn[17,33]@offset weight=randn[9,33]@offset bias=randn[9]@offset",
               "boundary: input=randn[17,33]@strided weight=randn[9,33]@transposed bias=randn[9]@strided",
               "boundary: input=randn[17,33]@transposed weight=randn[9,33]@strided",
               "boundary: input=randn[17,33]@scale(1e-4) weight=randn[9,33]",
               "boundary: input=randn[17,33] weight=randn[9,33] bias=randn[9]@shift(1000)",
               "boundary: input=randn[9,33]@poke(nan) weight=randn[17,33]",
               "boundary: input=randn[9,33] weight=randn[7,33] bias=none normalized_shape=none eps=1e-4 elementwise_affine=true "
               "*",
               "boundary: * input=randn[9,33] weight=randn[7,33] bias=randn[7] normalized_shape=7",
           },
       .perf = {"input=randn[2048,256] weight=randn[512,256] bias=randn[512] normalized_shape=512",
                "input=randn[1000,1025] weight=randn[257,1025] bias=randn[257] normalized_shape=257"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 9); },
       .deviation =
           "The published reference fails with its own default normalized_shape=None; here that means the last dimension. "
           "elementwise_affine has no parameters to switch there, nor here."},

      {.id = "fused_log_softmax_linear",
       .category = Category::fusion,
       .difficulty = 3,
       .schema =
           "fused_log_softmax_linear(Tensor input, Tensor weight, Tensor? bias=None, int dim=-1, *, ScalarType? dtype=None) "
           "-> Tensor",
       .summary = "Linear layer, input [..., k] times the transpose of weight [n, k] plus bias [n], then the logarithm of the "
                  "softmax along dim of that result. With dtype all three tensors are converted to it first, and it is the "
                  "result's type; else the result has the input's type. float32 means float32, not TF32; float16 inputs are "
                  "multiplied and summed in float32.",
       .math = "z = input weight' + bias\ny = z - max(z) - log(sum(exp(z - max(z)))), max and sum along dim",
       .reference = log_probabilities,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K] weight=randn[N,K] bias=randn[N]",
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.1) weight=randn[N,K] dim=0",
               "standard: K=17..33 N=1000..2000 input=randn[5,K]@scale(0.2) weight=randn[N,K] bias=randn[N]",
               "standard: K=1000..2000 input=randn[7,K]@scale(0.03) weight=randn[19,K] bias=randn[19]",
               // Small logits: with large ones their own rounding to float16, which is torch's way, weighs as much as the
               // result's.
               "standard: M=17..50 K=65..130 N=33..60 input=randn[M,K]:f16@scale(0.05) weight=randn[N,K]:f16 "
               "bias=randn[N]:f16@scale(0.2)",
               "boundary: input=randn[9,65]@scale(3) weight=randn[17,65]@scale(3) bias=randn[17]",
               "boundary: input=randn[9,33]@scale(0.1) weight=randn[17,33] bias=randn[17]@shift(1000)",
               "boundary: input=randn[9,33] weight=randn[17,33] bias=randn[17] dtype=f64",
               "boundary: input=randn[9,33]:f16 weight=randn[17,33]:f16 dtype=f32",
               "boundary: input=randn[9,33]:f64 weight=randn[17,33]:f64 bias=randn[17]:f64",
               "boundary: input=randn[9,33]:bf16@scale(0.2) weight=randn[17,33]:bf16 dim=0",
               "boundary: input=randn[5,7,33]@scale(0.2) weight=randn[9,33] bias=randn[9] dim=1",
               "boundary: input=randn[5,7,33]@scale(0.2) weight=randn[9,33] bias=randn[9] dim=-3",
               "boundary: input=randn[33] weight=randn[9,33] bias=randn[9] dim=0",
               "boundary: input=randn[0,33] weight=randn[9,33]",
               "boundary: input=randn[1,1] weight=randn[1,1] bias=randn[1]",
               "boundary: input=randn[17,33]@offset weight=randn[9,33]@offset bias=randn[9]@offset",
               "boundary: input=randn[17,33]@strided weight=randn[9,33]@transposed bias=randn[9]@strided",
               "boundary: input=randn[17,33]@transposed weight=randn[9,33]@strided dim=0",
               "boundary: input=randn[17,33]@scale(1e-4) weight=randn[9,33]",
               "boundary: input=randn[9,33]@poke(nan) weight=randn[17,33]",
               "boundary: input=randn[9,33]@scale(0.2) weight=randn[7,33] bias=none dim=1 * dtype=none",
               "boundary: * input=randn[9,33] weight=randn[7,33] bias=randn[7] dim=0 dtype=f32",
           },
       .perf = {"input=randn[2048,256] weight=randn[512,256] bias=randn[512]",
                "input=randn[64,1025] weight=randn[2049,1025] bias=randn[2049]"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 20); },
       .deviation =
           "The published test expects the linear result of float16 inputs rounded to float16 before the softmax, and rejects "
           "kernels that keep it in float32. Here these are right, as is one that rounds like torch. dtype applies to the "
           "inputs, "
           "as the published text says."},

      {.id = "fused_softplus_linear",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_softplus_linear(Tensor input, Tensor weight, Tensor? bias=None, Scalar beta=1, Scalar threshold=20) -> "
                 "Tensor",
       .summary =
           "Linear layer, input [..., k] times the transpose of weight [n, k] plus bias [n], then softplus with the factor "
           "beta; where beta times the linear value exceeds threshold, the linear value itself. Small results keep their "
           "relative accuracy: log1p, not log(1 + x). float32 means float32, not TF32.",
       .math = "z = input weight' + bias\ny = z for beta * z > threshold, log(1 + exp(beta * z)) / beta otherwise",
       .reference = [](const Args& a) -> Values { return {at::softplus(linear(a), a.scalar("beta"), a.scalar("threshold"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.2) weight=randn[N,K] bias=randn[N]",
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.1) weight=randn[N,K] beta=2",
               "standard: K=1000..2000 input=randn[7,K]@scale(0.05) weight=randn[19,K] bias=randn[19] beta=0.5",
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K] weight=randn[N,K] threshold=17",
               // Below about 15 the result jumps at the threshold: numbers at some distance from it on either side.
               "boundary: input=values(-3,0,0.5,0.995,1.005,1.5,4,30)[8,1] weight=values(1)[1,1] threshold=1",
               "boundary: input=values(-3,0,0.5,0.995,1.005,1.5,4,30)[8,1] weight=values(1)[1,1] bias=zeros[1] beta=2 "
               "threshold=2",
               "boundary: input=values(-3,-0.5,0.25,1.99,2.01,3,8)[7,1] weight=values(1)[1,1] beta=0.5 threshold=1.0",
               "boundary: input=randn[9,33]@shift(100) weight=uniform[17,33] bias=randn[17]",
               "boundary: input=randn[9,33]@shift(-1) weight=uniform[17,33] bias=randn[17]",
               "boundary: input=randn[5,7,33]@scale(0.2) weight=randn[9,33] bias=randn[9] beta=1.5",
               "boundary: input=randn[33] weight=randn[9,33] bias=randn[9]",
               "boundary: input=randn[0,33] weight=randn[9,33]",
               "boundary: input=randn[1,1] weight=randn[1,1] bias=randn[1]",
               "boundary: input=randn[17,33]@offset@scale(0.2) weight=randn[9,33]@offset bias=randn[9]@offset",
               "boundary: input=randn[17,33]@strided@scale(0.2) weight=randn[9,33]@transposed bias=randn[9]@strided",
               "boundary: input=randn[17,33]@transposed@scale(0.2) weight=randn[9,33]@strided",
               "boundary: input=randn[17,33]@scale(1e-4) weight=randn[9,33]",
               "boundary: input=randn[9,33]@poke(nan) weight=randn[17,33]",
               "boundary: input=randn[9,33]@scale(0.2) weight=randn[7,33] bias=none beta=3 threshold=30 *",
               "boundary: * input=randn[9,33]@scale(0.2) weight=randn[7,33] bias=randn[7] beta=1.0",
           },
       .perf = {"input=randn[1024,256] weight=randn[512,256] bias=randn[512]",
                "input=randn[8,2049] weight=randn[4097,2049] bias=randn[4097] beta=2"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 18); },
       .deviation = "The published reference compares the linear value itself, not beta times it, with threshold, and computes "
                    "log(1 + x), "
                    "which loses small results; the published tolerance does not show either. Here it is the usual softplus."},

      {.id = "fused_tanh_linear",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_tanh_linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
       .summary = "Linear layer, input [..., k] times the transpose of weight [n, k] plus bias [n], then the hyperbolic tangent. "
                  "float32 means float32, not TF32; float16 inputs are multiplied and summed in float32, and the result is "
                  "float16.",
       .math = "y = tanh(input weight' + bias)",
       .reference = [](const Args& a) -> Values { return {at::tanh(linear(a))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.1) weight=randn[N,K] bias=randn[N]",
               "standard: M=17..50 K=33..130 N=17..60 input=randn[M,K]@scale(0.05) weight=randn[N,K]",
               "standard: K=1000..2000 input=randn[7,K]@scale(0.02) weight=randn[19,K] bias=randn[19]",
               "standard: M=17..50 K=65..130 N=33..60 input=randn[M,K]:f16@scale(0.1) weight=randn[N,K]:f16 bias=randn[N]:f16",
               "boundary: input=randn[17,65]@scale(3) weight=randn[9,65]@scale(3) bias=randn[9]",
               "boundary: input=randn[9,33]:bf16@scale(0.2) weight=randn[17,33]:bf16",
               "boundary: input=randn[5,7,33]@scale(0.2) weight=randn[9,33] bias=randn[9]",
               "boundary: input=randn[33]@scale(0.2) weight=randn[9,33] bias=randn[9]",
               "boundary: input=randn[0,33] weight=randn[9,33]",
               "boundary: input=randn[1,1] weight=randn[1,1] bias=randn[1]",
               "boundary: input=randn[17,33]@offset@scale(0.1) weight=randn[9,33]@offset bias=randn[9]@offset",
               "boundary: input=randn[17,33]@strided@scale(0.1) weight=randn[9,33]@transposed bias=randn[9]@strided",
               "boundary: input=randn[17,33]@transposed@scale(0.1) weight=randn[9,33]@strided",
               "boundary: input=randn[17,33]@expanded@scale(0.1) weight=randn[9,33]",
               "boundary: input=randn[17,33]@scale(1e-4) weight=randn[9,33]",
               "boundary: input=randn[17,33]@shift(10) weight=randn[9,33]@scale(0.01)",
               "boundary: input=randn[9,33]@poke(nan) weight=randn[17,33]",
               "boundary: input=values(-50,-1,0,1,50)[5,1] weight=values(2)[1,1] bias=values(0.5)",
               "boundary: input=randn[9,33]@scale(0.1) weight=randn[7,33] bias=none *",
               "boundary: * input=randn[9,33]@scale(0.1) weight=randn[7,33] bias=randn[7]",
           },
       .perf = {"input=randn[2048,256]@scale(0.1) weight=randn[512,256] bias=randn[512]",
                "input=randn[1000,1025]@scale(0.03) weight=randn[257,1025] bias=randn[257]",
                "input=randn[768,512]:f16@scale(0.03) weight=randn[640,512]:f16 bias=randn[640]:f16"},
       .cost = [](const Args& a, const Values& out) -> Cost { return cost_of(a, out, 9); }},
  };
  return tasks;
}

}  // namespace kbx
