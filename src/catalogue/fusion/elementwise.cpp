// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sub.h>

#include <cmath>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values gelu_of(const Args& a, const at::Tensor& x) {
  const std::string approximate = a.text("approximate");
  if (auto out = a.maybe_tensor("out")) return {at::gelu_out(*out, x, approximate)};
  return {at::gelu(x, approximate)};
}

at::Tensor difference(const Args& a) { return at::sub(a.tensor("input"), a.tensor("other"), a.scalar("alpha")); }

// x erf(x / sqrt 2) / 2: the 1 of the distribution function is missing.
Values sub_gelu_published(const Args& a) {
  const at::Tensor x = difference(a);
  if (a.text("approximate") != "none") return gelu_of(a, x);
  return written(a, x * 0.5 * at::erf(x / std::sqrt(2.0)));
}

Values mul_sub(const Args& a) {
  const at::Tensor product = at::mul(a.tensor("input"), a.tensor("other_mul")), other = a.tensor("other_sub");
  if (auto out = a.maybe_tensor("out")) return {at::sub_out(*out, product, other, a.scalar("alpha"))};
  return {at::sub(product, other, a.scalar("alpha"))};
}

Values relu_sqrt(const Args& a) {
  at::Tensor input = a.tensor("input");
  if (a.flag("inplace")) return {at::relu_(input).sqrt_()};
  const at::Tensor positive = at::relu(input);
  if (auto out = a.maybe_tensor("out")) return {at::sqrt_out(*out, positive)};
  return {at::sqrt(positive)};
}

Cost gelu_cost(const Args& a, const Values& out) { return {traffic(a, out), 18 * outputs(out)}; }

}  // namespace

std::span<const Task> fused_elementwise_family() {
  static constexpr Elementwise kRootShape = {};
  static const Task tasks[] = {
      {.id = "fused_add_gelu",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_add_gelu(Tensor input, Tensor other, Scalar alpha=1, str approximate='none', *, Tensor(a!)? out=None) -> "
                 "Tensor",
       .summary =
           "Adds `other`, a tensor or a number, times alpha, and applies the Gaussian error linear unit to each sum, either "
           "exactly (by erf) or by the usual tanh form. Shapes broadcast. Where `out` is given the result is written there and "
           "returned.",
       .math = "x = input + alpha * other\n"
               "approximate='none': y = x * (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
       .reference = [](const Args& a) -> Values {
         return gelu_of(a, at::add(a.tensor("input"), a.tensor("other"), a.scalar("alpha")));
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[M,N]",
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[N] alpha=0.5 approximate=tanh",
               "standard: N=1000..4095 input=randn[3,N] other=0.5 alpha=2",
               "standard: M=17..60 N=33..90 input=randn[M,1] other=randn[1,N] approximate=tanh",
               "boundary: N=65..300 input=randn[33,N]@strided other=randn[33,N]@strided alpha=-1.5",
               "boundary: N=33..90 input=randn[N,33]@transposed other=randn[N,33] approximate=tanh",
               "boundary: N=60001..65500 input=randn[N] other=randn[N]",
               "boundary: input=randn[33,65] other=randn[33,65] alpha=0.5 out=like",
               "boundary: input=randn[5,3] other=randn[0,1,3] out=like",
               "boundary: input=randn[257]:f16 other=randn[257]:f16 alpha=0.5 approximate=tanh",
               "boundary: input=randn[257]:bf16 other=randn[257]:bf16",
               "boundary: input=randn[65]:f64 other=randn[65]:f64 alpha=3",
               "boundary: input=randint(-3,4)[65]:i32 other=randn[65] alpha=2",
               "boundary: input=randn[0] other=2.0",
               "boundary: input=randn[1] other=randn[1] alpha=0",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[257]@offset other=randn[257]@offset",
               "boundary: input=randn[9,65]@expanded other=randn[9,65]",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4) approximate=tanh",
               "boundary: input=randn[1025]@shift(1000) other=randn[1025]@shift(-1000)",
               "boundary: input=linspace(-5,5)[513] other=-0.75",
               "boundary: input=values(nan,inf,0,-0.0,1) other=values(1,1,nan,-0.0,inf)",
               "boundary: input=randn[33,7] other=randn[7] alpha=2 approximate=tanh *",
               "boundary: * input=randn[33,7] other=randn[33,1]",
           },
       .perf = {"input=randn[1048576] other=randn[1048576] alpha=0.5 approximate=tanh",
                "input=randn[1023,2049] other=randn[2049]", "input=randn[4194304]:f16 other=randn[4194304]:f16"},
       .cost = gelu_cost,
       .deviation = "The published reference ignores `out`; here it is written."},

      {.id = "fused_sub_gelu",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_sub_gelu(Tensor input, Tensor other, Scalar alpha=1, str approximate='none', *, Tensor(a!)? out=None) -> "
                 "Tensor",
       .summary =
           "Subtracts `other`, a tensor or a number, times alpha, and applies the Gaussian error linear unit to each difference, "
           "either exactly (by erf) or by the usual tanh form. Shapes broadcast. Where `out` is given the result is written "
           "there and returned.",
       .math = "x = input - alpha * other\n"
               "approximate='none': y = x * (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
       .reference = [](const Args& a) -> Values { return gelu_of(a, difference(a)); },
       .published = sub_gelu_published,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[M,N]",
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[N] alpha=0.5 approximate=tanh",
               "standard: N=1000..4095 input=randn[3,N] other=0.5 alpha=2 approximate=none",
               "standard: M=17..60 N=33..90 input=randn[M,1] other=randn[1,N] approximate=tanh",
               "boundary: N=65..300 input=randn[33,N]@strided other=randn[33,N]@strided alpha=-1.5",
               "boundary: N=33..90 input=randn[N,33]@transposed other=randn[N,33] approximate=tanh",
               "boundary: N=60001..65500 input=randn[N] other=randn[N]",
               "boundary: input=randn[33,65] other=randn[33,65] alpha=0.5 out=like",
               "boundary: input=randn[5,3] other=randn[0,1,3] out=like",
               "boundary: input=randn[257]:f16 other=randn[257]:f16 alpha=0.5 approximate=tanh",
               "boundary: input=randn[257]:bf16 other=randn[257]:bf16",
               "boundary: input=randn[65]:f64 other=randn[65]:f64 alpha=3",
               "boundary: input=randint(-3,4)[65]:i32 other=randn[65] alpha=2",
               "boundary: input=randn[0] other=2.0",
               "boundary: input=randn[1] other=randn[1] alpha=0",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[257]@offset other=randn[257]@offset",
               "boundary: input=randn[9,65]@expanded other=randn[9,65]",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4) approximate=tanh",
               "boundary: input=randn[1025]@shift(1000) other=randn[1025]@shift(1000)",
               "boundary: input=linspace(-5,5)[513] other=0.75",
               "boundary: input=values(nan,inf,0,-0.0,1) other=values(1,1,nan,-0.0,-inf)",
               "boundary: input=randn[33,7] other=randn[7] alpha=2 approximate=tanh *",
               "boundary: * input=randn[33,7] other=randn[33,1]",
           },
       .perf = {"input=randn[1048576] other=randn[1048576] alpha=0.5 approximate=tanh",
                "input=randn[2559,1025] other=randn[1025]", "input=randn[2097152] other=0.5"},
       .cost = gelu_cost,
       .deviation =
           "The published reference leaves the 1 of 1 + erf out in the exact mode, against its own formula, and ignores `out`. "
           "Here both are as the text has them."},

      {.id = "fused_mul_sub",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_mul_sub(Tensor input, Tensor other_mul, Tensor other_sub, Scalar alpha=1, *, Tensor(a!)? out=None) -> "
                 "Tensor",
       .summary =
           "Product of the input with `other_mul`, minus alpha times `other_sub`; each of the two is a tensor or a number. "
           "Shapes broadcast, and types promote as in PyTorch. Where `out` is given the result is written there and returned.",
       .math = "y = input * other_mul - alpha * other_sub",
       .reference = mul_sub,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other_mul=randn[M,N] other_sub=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N] other_mul=randn[N] other_sub=0.5 alpha=-0.5",
               "standard: M=17..60 N=33..90 input=randn[M,N] other_mul=2.0 other_sub=randn[M,1] alpha=3",
               "standard: M=17..60 N=33..90 input=randn[M,1] other_mul=randn[N] other_sub=randn[M,N]",
               "boundary: N=65..300 input=randn[33,N]@strided other_mul=randn[33,N]@strided other_sub=randn[N]@strided",
               "boundary: N=33..90 input=randn[N,33]@transposed other_mul=randn[N,33] other_sub=randn[N,33]@transposed out=like",
               "boundary: N=60001..65500 input=randn[N] other_mul=1.5 other_sub=0.25 alpha=2",
               "boundary: input=randint(-100,100)[33,17] other_mul=randint(-9,9)[17] other_sub=randint(-9,9)[33,17] alpha=3",
               "boundary: input=randint(-100,100)[65]:i32 other_mul=3 other_sub=7 alpha=-2",
               "boundary: input=randint(-100,100)[65] other_mul=0.5 other_sub=1",
               "boundary: input=randn[257]:f16 other_mul=randn[257]:f16 other_sub=randn[257]:f16 alpha=0.5",
               "boundary: input=randn[257]:bf16 other_mul=1.25 other_sub=randn[257]:bf16",
               "boundary: input=randn[65]:f64 other_mul=randn[65]:f64 other_sub=0.1",
               "boundary: input=randn[0] other_mul=randn[1] other_sub=1.0",
               "boundary: input=randn[5,0,3] other_mul=randn[0,1] other_sub=2.0 out=like",
               "boundary: input=randn[1] other_mul=randn[1] other_sub=randn[1] alpha=0",
               "boundary: input=randn[] other_mul=randn[] other_sub=3",
               "boundary: input=randn[257]@offset other_mul=randn[257]@offset other_sub=randn[257]@offset",
               "boundary: input=randn[9,65]@expanded other_mul=randn[9,65] other_sub=randn[9,65]@expanded",
               "boundary: input=randn[1025]@scale(1e-4) other_mul=randn[1025] other_sub=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@shift(1000) other_mul=randn[1025] other_sub=randn[1025]@shift(-1000)",
               "boundary: input=values(nan,inf,-inf,0,1) other_mul=values(1,0,2,-0.0,inf) other_sub=values(1,1,-inf,0,inf)",
               "boundary: input=randn[33,7] other_mul=randn[7] other_sub=randn[7] alpha=2 *",
               "boundary: * input=randn[33,7] other_mul=randn[33,1] other_sub=1.5",
           },
       .perf = {"input=randn[2097152] other_mul=randn[2097152] other_sub=randn[2097152] alpha=-0.5",
                "input=randn[2559,1025] other_mul=randn[1025] other_sub=0.5",
                "input=randn[3145728] other_mul=2.0 other_sub=randn[3145728]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 3 * outputs(out)};
       },
       .deviation = "One published case passes three Python numbers and expects a Python number. Here the input is a tensor."},

      {.id = "fused_relu_sqrt",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_relu_sqrt(Tensor(b!) input, bool inplace=False, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Square root of each positive element, zero for negative ones; NaN stays NaN. The result of a floating input has its "
           "type, that of an integer input is float32. With inplace=True the input itself is changed and returned, which an "
           "integer input cannot be: the function raises. Otherwise the input stays as it is, and where `out` is given the "
           "result is written there and returned.",
       .math = "y = sqrt(max(x, 0))",
       .reference = relu_sqrt,
       .contract = numeric(),
       .cases = elementwise_cases(
           kRootShape,
           {"standard: M=17..60 N=33..200 input=randn[M,N] inplace=true", "boundary: input=randn[1] inplace=true",
            "boundary: input=randn[257]@offset inplace=true", "boundary: input=randn[9,65]@strided inplace=true",
            "boundary: input=randn[33,17]@transposed inplace=true", "boundary: input=randint(-9,10)[33,17]",
            "boundary: input=randint(-1000,1000)[257]:i32 out=randn[257]",
            "boundary: input=randint(-9,10)[17] inplace=true raises", "boundary: input=randn[257]:f16",
            "boundary: input=randn[257]:bf16 inplace=true", "boundary: input=randn[65]:f64",
            "boundary: input=randn[513]@shift(1000)", "boundary: input=values(nan,inf,-inf,0,-0.0,4,-1)",
            "boundary: input=values(nan,inf,-inf,0,-0.0,4,-1) inplace=true", "boundary: input=loguniform(1e-37,1e38)[513]",
            "boundary: * input=randn[33,7] inplace=false", "boundary: input=randn[33,7] inplace=true *"}),
       .perf = {"input=randn[786432]", "input=randn[1023,1025]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 5 * outputs(out)};
       },
       .deviation = "The published test does not look at the argument; here inplace=True must change it and hand it back, and "
                    "inplace=False must leave it alone. The published reference turns half precision into float32, which its "
                    "text does not "
                    "say; here the type stays."},
  };
  return tasks;
}

}  // namespace kbx
