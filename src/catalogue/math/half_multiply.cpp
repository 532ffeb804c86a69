// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/mul.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

constexpr std::string_view kDeviation =
    "The published test allows an error of 5e-3; the product of two such numbers is exact in "
    "float32, so that only one rounding is right.";

Values product(const Args& a) { return {at::mul(a.tensor("input"), a.tensor("other"))}; }

Cost product_cost(const Args& a, const Values& out) { return {traffic(a, out), outputs(out)}; }

}  // namespace

std::span<const Task> half_multiply_family() {
  static const Task tasks[] = {
      {.id = "mul_bf16",
       .category = Category::math,
       .official = false,
       .schema = "mul_bf16(Tensor input, Tensor other) -> Tensor",
       .summary =
           "Product of two bfloat16 tensors whose shapes broadcast; the result is bfloat16, the exact product rounded once "
           "to nearest, ties to even.",
       .math = "y = input * other",
       .reference = product,
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]:bf16 other=randn[M,N]:bf16",
               "standard: N=1000..4095 input=randn[3,N]:bf16 other=randn[N]:bf16",
               "standard: M=17..60 N=33..90 input=randn[M,1]:bf16 other=randn[1,N]:bf16",
               "boundary: N=33..90 input=randn[33,N]:bf16@transposed other=randn[33,N]:bf16",
               "boundary: N=65..200 input=randn[33,N]:bf16@strided other=randn[33,N]:bf16@strided",
               "boundary: N=60001..65500 input=randn[N]:bf16 other=randn[N]:bf16",
               "boundary: input=randn[0]:bf16 other=randn[1]:bf16",
               "boundary: input=randn[5,0,3]:bf16 other=randn[0,1]:bf16",
               "boundary: input=randn[1]:bf16 other=randn[1]:bf16",
               "boundary: input=randn[]:bf16 other=randn[]:bf16",
               "boundary: input=randn[1,3]:bf16 other=randn[3]:bf16",
               "boundary: input=randn[257]:bf16@offset other=randn[257]:bf16@offset",
               "boundary: input=randn[9,65]:bf16@expanded other=randn[9,65]:bf16",
               "boundary: input=randn[1025]:bf16@scale(1e-4) other=randn[1025]:bf16@scale(1e-4)",
               "boundary: input=randn[1025]:bf16@shift(1000) other=randn[1025]:bf16@shift(1000)",
               "boundary: input=loguniform(1e-15,1e15)[513]:bf16 other=loguniform(1e-15,1e15)[513]:bf16",
               "boundary: input=values(nan,inf,-inf,inf,0,1e30,-1e30):bf16 other=values(1,1,1,0,-1,1e30,1e30):bf16",
               "boundary: * input=randn[33,7]:bf16 other=randn[7]:bf16",
           },
       .perf = {"input=randn[8388608]:bf16 other=randn[8388608]:bf16", "input=randn[4095,2049]:bf16 other=randn[4095,2049]:bf16"},
       .cost = product_cost,
       .deviation = kDeviation},
      {.id = "mul_fp16",
       .category = Category::math,
       .official = false,
       .schema = "mul_fp16(Tensor input, Tensor other) -> Tensor",
       .summary =
           "Product of two float16 tensors whose shapes broadcast; the result is float16, the exact product rounded once to "
           "nearest, ties to even, infinite where it is beyond the type's range.",
       .math = "y = input * other",
       .reference = product,
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]:f16 other=randn[M,N]:f16",
               "standard: N=1000..4095 input=randn[3,N]:f16 other=randn[N]:f16",
               "standard: M=17..60 N=33..90 input=randn[M,1]:f16 other=randn[1,N]:f16",
               "boundary: N=33..90 input=randn[33,N]:f16@transposed other=randn[33,N]:f16",
               "boundary: N=65..200 input=randn[33,N]:f16@strided other=randn[33,N]:f16@strided",
               "boundary: N=60001..65500 input=randn[N]:f16 other=randn[N]:f16",
               "boundary: input=randn[0]:f16 other=randn[1]:f16",
               "boundary: input=randn[5,0,3]:f16 other=randn[0,1]:f16",
               "boundary: input=randn[1]:f16 other=randn[1]:f16",
               "boundary: input=randn[]:f16 other=randn[]:f16",
               "boundary: input=randn[1,3]:f16 other=randn[3]:f16",
               "boundary: input=randn[257]:f16@offset other=randn[257]:f16@offset",
               "boundary: input=randn[9,65]:f16@expanded other=randn[9,65]:f16",
               "boundary: input=randn[1025]:f16@scale(1e-4) other=randn[1025]:f16",
               "boundary: input=randn[1025]:f16@shift(100) other=randn[1025]:f16@shift(100)",
               "boundary: input=loguniform(1e-4,1e2)[513]:f16 other=loguniform(1e-4,1e2)[513]:f16",
               "boundary: input=values(nan,inf,-inf,inf,0,300,-300,65504):f16 other=values(1,1,1,0,-1,300,300,2):f16",
               "boundary: * input=randn[33,7]:f16 other=randn[7]:f16",
           },
       .perf = {"input=randn[8388608]:f16 other=randn[8388608]:f16", "input=randn[4095,2049]:f16 other=randn[4095,2049]:f16"},
       .cost = product_cost,
       .deviation = kDeviation},
  };
  return tasks;
}

}  // namespace kbx
