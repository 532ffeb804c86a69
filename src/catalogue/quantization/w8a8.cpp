// SPDX-License-Identifier: Apache-2.0
#include "catalogue/quantization/w8a8.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

at::Tensor scale_along(const at::Tensor& matrix, int64_t dim) {
  return matrix.size(dim) == 0 ? matrix.sum(dim, true) : matrix.abs().amax(dim, true) / 127;
}

at::Tensor quantise(const at::Tensor& matrix, const at::Tensor& scale) {
  return (matrix / scale.masked_fill(scale == 0, 1)).round().clamp(-127, 127);
}

// What a program without integer products does: integers held in the floating type of the inputs.
Values matmul_w8a8(const Args& a) {
  at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  at::Tensor row_scale = scale_along(input, 1), column_scale = scale_along(weight, 0);
  return {at::matmul(quantise(input, row_scale), quantise(weight, column_scale)) * row_scale * column_scale};
}

}  // namespace

std::span<const Task> w8a8_family() {
  static const Task tasks[] = {
      {.id = "matmul_w8a8",
       .category = Category::quantization,
       .difficulty = 3,
       .schema = "matmul_w8a8(Tensor input, Tensor weight) -> Tensor",
       .summary = "Matrix product in int8: quantises each row of the input (M, K) and each column of the weight (K, N) "
                  "symmetrically to int8, multiplies with int32 accumulation, and scales back to the input's type. The result "
                  "must show the quantisation: the unquantised product is wrong here.",
       .math = "sa[i] = max over k of |input[i, k]| / 127;  sw[j] = max over k of |weight[k, j]| / 127\n"
               "qa[i, k] = round(input[i, k] / sa[i]), qw[k, j] = round(weight[k, j] / sw[j]): to nearest, ties to even, in\n"
               "[-127, 127]; a row or column of zeros gives zeros\n"
               "y[i, j] = sa[i] * sw[j] * (sum over k of qa[i, k] * qw[k, j] in int32)",
       .reference = matmul_w8a8,
       .oracle = w8a8_product_oracle,
       .published = [](const Args& a) -> Values { return {at::matmul(a.tensor("input"), a.tensor("weight"))}; },
       .contract = quantised("int8 per input row x per output column, int32 accumulation"),
       .cases =
           {
               "standard: M=17..60 K=65..200 N=17..60 input=randn[M,K] weight=randn[K,N]",
               "standard: K=1000..2047 input=randn[7,K] weight=randn[K,9]",
               "standard: M=17..60 K=65..130 input=uniform(-1,1)[M,K] weight=randn[K,33]",
               "boundary: M=17..33 K=33..90 N=33..90 input=randn[M,K]@strided weight=randn[K,N]@transposed",
               "boundary: input=values(1,2)[1,2] weight=values(-1,0,1,3,2,1)[2,3]",
               "boundary: input=full(127)[1,1] weight=full(-127)[1,1]",
               "boundary: input=ones[1,2] weight=values(0.01,100,-100,0.01)[2,2]",
               "boundary: input=zeros[3,17] weight=randn[17,5]",
               "boundary: input=randn[0,17] weight=randn[17,5]",
               "boundary: input=randn[17,33]@offset weight=randn[33,9]@offset",
               "boundary: input=randn[17,33]@scale(1e-4) weight=randn[33,9]@scale(1e-4)",
               "boundary: input=randn[17,33]@shift(10) weight=randn[33,9]",
               "boundary: * input=randn[17,33] weight=randn[33,9]",
           },
       .perf = {"input=randn[512,512] weight=randn[512,1024]", "input=randn[383,511] weight=randn[511,1023]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out) * static_cast<double>(a.tensor("weight").size(0)), Unit::matrix};
       },
       .deviation =
           "The published test compares with the unquantised product at a tolerance that the demanded scheme cannot meet. "
           "Here the truth is the scheme itself in exact arithmetic, and the unquantised product fails."},
  };
  return tasks;
}

}  // namespace kbx
