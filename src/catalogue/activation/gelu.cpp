// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/gelu.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

constexpr std::string_view kMath =
    "approximate='none': y = x * Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2\n"
    "approximate='tanh': y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))";

Values gelu(const Args& a) { return {at::gelu(a.tensor("input"), a.text("approximate"))}; }

Cost gelu_cost(const Args& a, const Values& out) { return {traffic(a, out), 16 * outputs(out)}; }

}  // namespace

std::span<const Task> gelu_family() {
  static const Task tasks[] = {
      {.id = "gelu",
       .category = Category::activation,
       .difficulty = 4,
       .schema = "gelu(Tensor input, str approximate='none') -> Tensor",
       .summary =
           "Gaussian error linear unit of each element: the input times the normal distribution function at the input, either "
           "exactly (by erf) or by the usual tanh form.",
       .math = kMath,
       .reference = gelu,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N] approximate=tanh",
               "standard: input=linspace(-12,12)[2001]",
               "boundary: M=3..9 N=33..90 input=randn[5,M,N]@transposed approximate=none",
               "boundary: N=65..200 input=randn[33,N]@strided approximate=tanh",
               "boundary: N=60001..65500 input=randn[N]",
               "boundary: input=randn[0]",
               "boundary: input=randn[3,0,5] approximate=tanh",
               "boundary: input=randn[1]",
               "boundary: input=randn[]",
               "boundary: input=randn[257]@offset",
               "boundary: input=randn[7,65]@expanded",
               "boundary: input=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@scale(1e-4) approximate=tanh",
               "boundary: input=randn[33,65]@shift(2)",
               "boundary: input=randn[33,65]@shift(-4) approximate=tanh",
               "boundary: input=values(nan,inf,0,-0.0,1,-1)",
               "boundary: input=values(nan,inf,0,-0.0,1,-1) approximate=tanh",
               "boundary: input=randn[33] approximate=tanh *",
           },
       .perf = {"input=randn[4194304]", "input=randn[1535,1025] approximate=tanh"},
       .cost = gelu_cost},
      {.id = "gelu_bf16",
       .category = Category::activation,
       .difficulty = 1,
       .schema = "gelu_bf16(Tensor input, str approximate='none') -> Tensor",
       .summary = "Gaussian error linear unit of bfloat16 elements; the result is bfloat16. One rounding of the exact value is "
                  "expected: "
                  "compute in float32.",
       .math = kMath,
       .reference = gelu,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]:bf16",
               "standard: N=1000..4095 input=randn[3,N]:bf16 approximate=tanh",
               "standard: input=linspace(-12,12)[2001]:bf16",
               "boundary: M=33..90 input=randn[M,33]:bf16@transposed",
               "boundary: N=65..200 input=randn[33,N]:bf16@strided approximate=tanh",
               "boundary: N=60001..65500 input=randn[N]:bf16",
               "boundary: input=randn[0]:bf16",
               "boundary: input=randn[1]:bf16 approximate=tanh",
               "boundary: input=randn[]:bf16",
               "boundary: input=randn[257]:bf16@offset",
               "boundary: input=randn[1025]:bf16@scale(1e-4)",
               "boundary: input=randn[33,65]:bf16@shift(-2) approximate=tanh",
               "boundary: input=values(nan,inf,0,-0.0,1,-1):bf16",
           },
       .perf = {"input=randn[6291456]:bf16", "input=randn[639,2049]:bf16 approximate=tanh"},
       .cost = gelu_cost,
       .deviation =
           "The published tolerance is below one bfloat16 rounding for some inputs; here one rounding of the exact value is "
           "free everywhere."},
      {.id = "gelu_fp16",
       .category = Category::activation,
       .difficulty = 1,
       .schema = "gelu_fp16(Tensor input, str approximate='none') -> Tensor",
       .summary =
           "Gaussian error linear unit of float16 elements; the result is float16. One rounding of the exact value is expected: "
           "compute in float32.",
       .math = kMath,
       .reference = gelu,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]:f16",
               "standard: N=1000..4095 input=randn[3,N]:f16 approximate=tanh",
               "standard: input=linspace(-12,12)[2001]:f16",
               "boundary: M=33..90 input=randn[M,33]:f16@transposed",
               "boundary: N=65..200 input=randn[33,N]:f16@strided approximate=tanh",
               "boundary: N=60001..65500 input=randn[N]:f16",
               "boundary: input=randn[0]:f16",
               "boundary: input=randn[1]:f16 approximate=tanh",
               "boundary: input=randn[]:f16",
               "boundary: input=randn[257]:f16@offset",
               "boundary: input=randn[1025]:f16@scale(1e-4)",
               "boundary: input=randn[33,65]:f16@shift(-2) approximate=tanh",
               "boundary: input=values(nan,inf,0,-0.0,1,-1,65504):f16",
           },
       .perf = {"input=randn[6291456]:f16", "input=randn[639,2049]:f16 approximate=tanh"},
       .cost = gelu_cost},
  };
  return tasks;
}

}  // namespace kbx
