// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

constexpr std::string_view kTail =
                               "The published absolute tolerance lets results that flush to zero pass; here the relative "
                               "accuracy of small results counts.",
                           kNearZero =
                               "The published absolute tolerance hides what happens near zero; here the result is right "
                               "there as well.";

Values relu(const Args& a) { return {at::relu(a.tensor("input"))}; }
Values sigmoid(const Args& a) { return {at::sigmoid(a.tensor("input"))}; }
Values tanh(const Args& a) { return {at::tanh(a.tensor("input"))}; }

// The shared cases of an operator on bfloat16, then `own`.
std::vector<std::string_view> bf16_cases(std::vector<std::string_view> own) {
  std::vector<std::string_view> cases{
      "standard: M=17..70 N=65..300 input=randn[M,N]:bf16",
      "standard: N=1000..4095 input=randn[3,N]:bf16",
      "standard: A=3..9 B=33..90 input=randn[A,B,17]:bf16",
      "boundary: N=33..90 input=randn[33,N]:bf16@transposed",
      "boundary: N=65..200 input=randn[33,N]:bf16@strided",
      "boundary: N=60001..65500 input=randn[N]:bf16",
      "boundary: input=randn[0]:bf16",
      "boundary: input=randn[1]:bf16",
      "boundary: input=randn[]:bf16",
      "boundary: input=randn[257]:bf16@offset",
      "boundary: input=randn[9,65]:bf16@expanded",
      "boundary: input=randn[1025]:bf16@scale(1e-4)",
      "boundary: input=randn[33,7]:bf16 *",
      "boundary: * input=randn[33,7]:bf16",
  };
  cases.insert(cases.end(), own.begin(), own.end());
  return cases;
}

// The same on float16.
std::vector<std::string_view> fp16_cases(std::vector<std::string_view> own) {
  std::vector<std::string_view> cases{
      "standard: M=17..70 N=65..300 input=randn[M,N]:f16",
      "standard: N=1000..4095 input=randn[3,N]:f16",
      "standard: A=3..9 B=33..90 input=randn[A,B,17]:f16",
      "boundary: N=33..90 input=randn[33,N]:f16@transposed",
      "boundary: N=65..200 input=randn[33,N]:f16@strided",
      "boundary: N=60001..65500 input=randn[N]:f16",
      "boundary: input=randn[0]:f16",
      "boundary: input=randn[1]:f16",
      "boundary: input=randn[]:f16",
      "boundary: input=randn[257]:f16@offset",
      "boundary: input=randn[9,65]:f16@expanded",
      "boundary: input=randn[1025]:f16@scale(1e-4)",
      "boundary: input=randn[33,7]:f16 *",
      "boundary: * input=randn[33,7]:f16",
  };
  cases.insert(cases.end(), own.begin(), own.end());
  return cases;
}

}  // namespace

std::span<const Task> half_activation_family() {
  static const std::vector<std::string_view> kPerfBf16{"input=randn[8388608]:bf16", "input=randn[4095,2049]:bf16"},
      kPerfFp16{"input=randn[12582912]:f16", "input=randn[6143,2049]:f16"},
      kSmoothBf16{"input=randn[4194304]:bf16", "input=randn[2047,2049]:bf16"},
      kSmoothFp16{"input=randn[4194304]:f16", "input=randn[2047,2049]:f16"},
      kTanhBf16{"input=randn[1048576]:bf16", "input=randn[511,2049]:bf16"},
      kTanhFp16{"input=randn[1048576]:f16", "input=randn[511,2049]:f16"};
  static const Task tasks[] = {
      {.id = "relu_bf16",
       .category = Category::activation,
       .official = false,
       .schema = "relu_bf16(Tensor input) -> Tensor",
       .summary = "Keeps positive bfloat16 elements and puts zero for negative ones; NaN stays NaN. The result is bfloat16, the "
                  "input stays as it is.",
       .math = "y = max(x, 0)",
       .reference = relu,
       .contract = exact(),
       .cases =
           bf16_cases({"boundary: input=values(nan,inf,-inf,0,-0.0,1,-1):bf16", "boundary: input=randn[513]:bf16@scale(1e30)",
                       "boundary: input=values(-9984,-100,-1,0,1,100,9984):bf16"}),
       .perf = kPerfBf16,
       .cost = each<1>},
      {.id = "relu_fp16",
       .category = Category::activation,
       .official = false,
       .schema = "relu_fp16(Tensor input) -> Tensor",
       .summary =
           "Keeps positive float16 elements and puts zero for negative ones; NaN stays NaN. The result is float16, the input "
           "stays as it is.",
       .math = "y = max(x, 0)",
       .reference = relu,
       .contract = exact(),
       .cases = fp16_cases({"boundary: input=values(nan,inf,-inf,0,-0.0,1,-1):f16", "boundary: input=randn[513]:f16@scale(1e-6)",
                            "boundary: input=values(-65504,-100,-1,0,1,100,65504):f16"}),
       .perf = kPerfFp16,
       .cost = each<1>},
      {.id = "sigmoid_bf16",
       .category = Category::activation,
       .official = false,
       .schema = "sigmoid_bf16(Tensor input) -> Tensor",
       .summary =
           "Logistic function of bfloat16 elements; the result is bfloat16. One rounding of the exact value is expected: "
           "compute in float32. It must not overflow for large negative inputs, nor vanish where the type holds the value.",
       .math = "y = 1 / (1 + exp(-x))",
       .reference = sigmoid,
       .contract = numeric(),
       .cases = bf16_cases({"boundary: input=linspace(-12,12)[257]:bf16", "boundary: input=uniform(-80,-20)[513]:bf16",
                            "boundary: input=linspace(-110,110)[1025]:bf16", "boundary: input=randn[513]:bf16@shift(4)",
                            "boundary: input=values(nan,inf,-inf,0,-0.0):bf16"}),
       .perf = kSmoothBf16,
       .cost = each<8>,
       .deviation = kTail},
      {.id = "sigmoid_fp16",
       .category = Category::activation,
       .official = false,
       .schema = "sigmoid_fp16(Tensor input) -> Tensor",
       .summary =
           "Logistic function of float16 elements; the result is float16. One rounding of the exact value is expected: "
           "compute in float32. It must not overflow for large negative inputs, nor vanish where the type holds the value.",
       .math = "y = 1 / (1 + exp(-x))",
       .reference = sigmoid,
       .contract = numeric(),
       .cases = fp16_cases({"boundary: input=linspace(-12,12)[257]:f16", "boundary: input=uniform(-16,-8)[513]:f16",
                            "boundary: input=linspace(-110,110)[1025]:f16", "boundary: input=randn[513]:f16@shift(4)",
                            "boundary: input=values(nan,inf,-inf,0,-0.0,65504,-65504):f16"}),
       .perf = kSmoothFp16,
       .cost = each<8>,
       .deviation = kTail},
      {.id = "tanh_bf16",
       .category = Category::activation,
       .official = false,
       .schema = "tanh_bf16(Tensor input) -> Tensor",
       .summary =
           "Hyperbolic tangent of bfloat16 elements, accurate near zero as well; the result is bfloat16. One rounding of the "
           "exact value is expected: compute in float32.",
       .math = "y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))",
       .reference = tanh,
       .contract = numeric(),
       .cases = bf16_cases({"boundary: input=linspace(-12,12)[257]:bf16", "boundary: input=loguniform(1e-30,1)[1025]:bf16",
                            "boundary: input=linspace(-100,100)[1025]:bf16", "boundary: input=randn[513]:bf16@scale(1e-8)",
                            "boundary: input=values(nan,inf,-inf,0,-0.0):bf16"}),
       .perf = kTanhBf16,
       .cost = each<8>,
       .deviation = kNearZero},
      {.id = "tanh_fp16",
       .category = Category::activation,
       .official = false,
       .schema = "tanh_fp16(Tensor input) -> Tensor",
       .summary =
           "Hyperbolic tangent of float16 elements, accurate near zero as well; the result is float16. One rounding of the "
           "exact value is expected: compute in float32.",
       .math = "y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))",
       .reference = tanh,
       .contract = numeric(),
       .cases = fp16_cases({"boundary: input=linspace(-12,12)[257]:f16", "boundary: input=loguniform(1e-6,1)[1025]:f16",
                            "boundary: input=linspace(-100,100)[1025]:f16", "boundary: input=randn[513]:f16@scale(1e-5)",
                            "boundary: input=values(nan,inf,-inf,0,-0.0,65504,-65504):f16"}),
       .perf = kTanhFp16,
       .cost = each<8>,
       .deviation = kNearZero},
  };
  return tasks;
}

}  // namespace kbx
