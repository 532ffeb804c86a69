// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values combined_activation(const Args& a) {
  at::Tensor scaled = at::tanh(at::sigmoid(at::matmul(a.tensor("input"), a.tensor("weight1")))) * a.tensor("weight2");
  auto out = a.maybe_tensor("out");
  return {out ? at::add_out(*out, scaled, a.tensor("bias")) : at::add(scaled, a.tensor("bias"))};
}

}  // namespace

std::span<const Task> combined_activation_family() {
  static const Task tasks[] = {
      {.id = "combined_activation",
       .category = Category::activation,
       .difficulty = 3,
       .schema = "combined_activation(Tensor input, Tensor weight1, Tensor weight2, Tensor bias, *, Tensor(a!)? out=None) -> "
                 "Tensor",
       .summary =
           "Multiplies the input (.., M, K), which may have leading batch dimensions, by the matrix weight1 (K, N), applies "
           "sigmoid and then tanh, multiplies elementwise by weight2 and adds bias; these two broadcast with the product. Where "
           "`out` is given the result is written there and returned. float32 means float32: inputs cut to TF32 are not accepted.",
       .math = "y = tanh(sigmoid(input @ weight1)) * weight2 + bias, sigmoid(z) = 1 / (1 + exp(-z))",
       .reference = combined_activation,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 K=17..33 N=17..60 input=randn[M,K] weight1=randn[K,N]@scale(0.3) weight2=randn[M,N] "
               "bias=randn[M,N]",
               "standard: M=17..40 K=17..33 N=33..90 input=randn[M,K] weight1=randn[K,N]@scale(0.3) weight2=randn[N] "
               "bias=randn[N]",
               "standard: M=9..17 K=17..33 N=17..40 input=randn[3,M,K] weight1=randn[K,N]@scale(0.3) weight2=randn[M,N] "
               "bias=randn[N]",
               "standard: K=300..900 input=randn[7,K] weight1=randn[K,33]@scale(0.05) weight2=randn[7,33] bias=randn[7,33]",
               "boundary: M=9..33 K=9..33 input=randn[M,K]@strided weight1=randn[K,17]@transposed weight2=randn[M,17]@transposed "
               "bias=randn[M,17]@strided",
               "boundary: input=randn[5,9] weight1=randn[9,7] weight2=randn[5,1] bias=randn[1,7]",
               "boundary: input=randn[2,3,5,9] weight1=randn[9,7] weight2=randn[3,1,7] bias=randn[2,1,1,1]",
               "boundary: input=randn[5,9] weight1=randn[9,7] weight2=randn[] bias=randn[5,7]",
               "boundary: input=randn[17,33] weight1=randn[33,9] weight2=randn[9] bias=randn[17,9] out=like",
               "boundary: input=randn[0,5] weight1=randn[5,3] weight2=randn[3] bias=randn[3]",
               "boundary: input=randn[3,0] weight1=randn[0,5] weight2=randn[3,5] bias=randn[5]",
               "boundary: input=randn[1,1] weight1=randn[1,1] weight2=randn[1] bias=randn[1]",
               "boundary: input=randn[17,33]@offset weight1=randn[33,9]@offset weight2=randn[9]@offset bias=randn[9]",
               "boundary: input=randn[17,33]@scale(1e-4) weight1=randn[33,9] weight2=randn[17,9] bias=zeros[9]",
               "boundary: input=randn[17,33]@scale(9) weight1=randn[33,9] weight2=randn[17,9] bias=zeros[9]",
               "boundary: input=randn[17,33] weight1=randn[33,9] weight2=randn[17,9]@shift(1000) bias=randn[9]@shift(-1000)",
               "boundary: input=randn[9,17]@poke(nan) weight1=randn[17,5] weight2=randn[9,5] bias=randn[9,5]@poke(inf)",
               "boundary: input=randn[9,17] weight1=randn[17,5] weight2=randn[5] bias=randn[5] *",
               "boundary: * input=randn[9,17] weight1=randn[17,5] weight2=randn[5] bias=randn[9,5]",
           },
       .perf = {"input=randn[512,512] weight1=randn[512,1024]@scale(0.1) weight2=randn[1024] bias=randn[1024]",
                "input=randn[511,513] weight1=randn[513,1023]@scale(0.1) weight2=randn[511,1023] bias=randn[1023]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const auto shared = static_cast<double>(a.tensor("weight1").size(0));
         return {traffic(a, out), (2 * shared + 20) * outputs(out), Unit::matrix};
       },
       .deviation =
           "The published text promises leading batch dimensions and broadcasting, but its reference multiplies matrices "
           "only and nothing is broadcast in its test; here both are called. `out` is written."},
  };
  return tasks;
}

}  // namespace kbx
