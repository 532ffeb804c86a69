// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/matmul.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values matmul(const Args& a) { return {at::matmul(a.tensor("input"), a.tensor("other"))}; }

Cost product_cost(const Args& a, const Values& out) {
  return {traffic(a, out), 2 * outputs(out) * static_cast<double>(a.tensor("input").size(-1)), Unit::matrix};
}

}  // namespace

std::span<const Task> half_matmul_family() {
  static const Task tasks[] = {
      {.id = "matmul_bf16",
       .category = Category::matrix_multiply,
       .difficulty = 2,
       .schema = "matmul_bf16(Tensor input, Tensor other) -> Tensor",
       .summary =
           "Matrix product of bfloat16 tensors with a bfloat16 result. Products are summed in float32 and rounded once, at the "
           "end; a bfloat16 accumulator is not accepted. A vector is a row on the left and a column on the right (two vectors "
           "give a 0-dim tensor), and leading dimensions of higher ranks are batches that broadcast.",
       .math = "y[..., i, j] = bf16(sum over k of input[..., i, k] * other[..., k, j])",
       .reference = matmul,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 K=65..200 N=17..90 input=randn[M,K]:bf16 other=randn[K,N]:bf16",
               "standard: K=33..130 input=randn[3,19,K]:bf16 other=randn[3,K,21]:bf16",
               "standard: K=65..200 N=33..200 input=randn[K]:bf16 other=randn[K,N]:bf16",
               "standard: K=1000..4095 input=randn[5,K]:bf16 other=randn[K,7]:bf16",
               "boundary: M=17..40 K=65..200 N=17..40 input=randn[M,K]:bf16@transposed other=randn[K,N]:bf16@strided",
               "boundary: input=randn[33,130]:bf16 other=randn[130]:bf16",
               "boundary: input=randn[513]:bf16 other=randn[513]:bf16",
               "boundary: input=randn[1,9,17]:bf16 other=randn[3,17,5]:bf16",
               "boundary: input=randn[2,1,9,17]:bf16 other=randn[3,17,5]:bf16",
               "boundary: input=randn[3,9,17]:bf16 other=randn[17,5]:bf16",
               "boundary: input=randn[9,17]:bf16 other=randn[3,17,5]:bf16",
               "boundary: input=uniform[5,4000]:bf16 other=uniform[4000,7]:bf16",
               "boundary: input=ones[3,1100]:bf16 other=ones[1100,5]:bf16",
               "boundary: input=randn[0,5]:bf16 other=randn[5,3]:bf16",
               "boundary: input=randn[5,0]:bf16 other=randn[0,3]:bf16",
               "boundary: input=randn[1,1]:bf16 other=randn[1,1]:bf16",
               "boundary: input=randn[17,33]:bf16@offset other=randn[33,19]:bf16@offset",
               "boundary: input=randn[17,65]:bf16@scale(1e-4) other=randn[65,17]:bf16@scale(1e-4)",
               "boundary: input=randn[17,33]:bf16@scale(1e18) other=randn[33,17]:bf16@scale(1e18)",
               "boundary: input=randn[17,65]:bf16@shift(1000) other=randn[65,17]:bf16",
               "boundary: input=randn[17,33]:bf16@poke(nan) other=randn[33,17]:bf16@poke(inf)",
               "boundary: * input=randn[17,33]:bf16 other=randn[33,17]:bf16",
           },
       .perf = {"input=randn[1023,1535]:bf16 other=randn[1535,1021]:bf16",
                "input=randn[4,1024,1024]:bf16 other=randn[4,1024,1024]:bf16"},
       .cost = product_cost,
       .deviation = "The published tolerance is below one unit in the last place of bfloat16, so that it rejects sums in another "
                    "order; here a result may be any that rounds from within the budget of a sum in float32."},

      {.id = "matmul_fp16",
       .category = Category::matrix_multiply,
       .difficulty = 2,
       .schema = "matmul_fp16(Tensor input, Tensor other) -> Tensor",
       .summary =
           "Matrix product of float16 tensors with a float16 result. Products are summed in float32 and rounded once, at the end "
           "(to infinity beyond float16's range); a float16 accumulator is not accepted: it loses digits, and overflows in sums "
           "whose result does not. A vector is a row on the left and a column on the right (two vectors give a 0-dim tensor), "
           "and leading dimensions of higher ranks are batches that broadcast.",
       .math = "y[..., i, j] = fp16(sum over k of input[..., i, k] * other[..., k, j])",
       .reference = matmul,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 K=65..200 N=17..90 input=randn[M,K]:f16 other=randn[K,N]:f16",
               "standard: K=33..130 input=randn[3,19,K]:f16 other=randn[3,K,21]:f16",
               "standard: K=65..200 N=33..200 input=randn[K]:f16 other=randn[K,N]:f16",
               "standard: K=1000..4095 input=randn[5,K]:f16 other=randn[K,7]:f16",
               "boundary: M=17..40 K=65..200 N=17..40 input=randn[M,K]:f16@transposed other=randn[K,N]:f16@strided",
               "boundary: input=randn[33,130]:f16 other=randn[130]:f16",
               "boundary: input=randn[513]:f16 other=randn[513]:f16",
               "boundary: input=randn[1,9,17]:f16 other=randn[3,17,5]:f16",
               "boundary: input=randn[2,1,9,17]:f16 other=randn[3,17,5]:f16",
               "boundary: input=randn[3,9,17]:f16 other=randn[17,5]:f16",
               "boundary: input=randn[9,17]:f16 other=randn[3,17,5]:f16",
               "boundary: input=uniform[5,4000]:f16 other=uniform[4000,7]:f16",
               "boundary: input=ones[3,4000]:f16 other=ones[4000,5]:f16",
               "boundary: input=full(200)[5,1027]:f16 other=values(200,200,200,-200,-200,-200)[1027,1]:f16",
               "boundary: input=full(200)[5,33]:f16 other=full(200)[33,3]:f16",
               "boundary: input=randn[0,5]:f16 other=randn[5,3]:f16",
               "boundary: input=randn[5,0]:f16 other=randn[0,3]:f16",
               "boundary: input=randn[1,1]:f16 other=randn[1,1]:f16",
               "boundary: input=randn[17,33]:f16@offset other=randn[33,19]:f16@offset",
               "boundary: input=randn[17,65]:f16@scale(1e-3) other=randn[65,17]:f16@scale(1e-2)",
               "boundary: input=randn[17,65]:f16@shift(100) other=randn[65,17]:f16",
               "boundary: input=randn[17,33]:f16@poke(nan) other=randn[33,17]:f16@poke(inf)",
               "boundary: * input=randn[17,33]:f16 other=randn[33,17]:f16",
           },
       .perf = {"input=randn[512,640]:f16 other=randn[640,640]:f16", "input=randn[4,255,513]:f16 other=randn[4,513,383]:f16"},
       .cost = product_cost},
  };
  return tasks;
}

}  // namespace kbx
