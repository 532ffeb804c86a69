// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/div.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sub.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values div(const Args& a) {
  auto out = a.maybe_tensor("out");
  at::Tensor input = a.tensor("input"), other = a.tensor("other");
  const std::optional<std::string> word = a.maybe_text("rounding_mode");
  const std::optional<c10::string_view> mode = word ? std::optional<c10::string_view>(*word) : std::nullopt;
  return {out ? at::div_out(*out, input, other, mode) : at::div(input, other, mode)};
}

}  // namespace

std::span<const Task> binary_arithmetic_family() {
  static const Task tasks[] = {
      {.id = "div",
       .category = Category::math,
       .difficulty = 3,
       .schema = "div(Tensor input, Tensor other, *, str? rounding_mode=None, Tensor(a!)? out=None) -> Tensor",
       .summary = "Divides by `other`, a tensor or a number. Shapes broadcast, and types promote as in PyTorch. Without "
                  "rounding_mode integers give floating results of the default type, and division by zero gives infinity or NaN. "
                  "rounding_mode='trunc' rounds the quotient towards zero, 'floor' down; both keep an integer type. Where `out` "
                  "is given the result is written there and returned.",
       .math = "rounding_mode=None: y = input / other\nrounding_mode='trunc': y = trunc(input / other)\n"
               "rounding_mode='floor': y = floor(input / other)",
       .reference = div,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N] other=uniform(0.5,4)[N]",
               "standard: M=17..60 N=33..90 input=randn[M,1] other=randn[1,N]",
               "standard: M=17..60 N=33..90 input=randn[M,N]@scale(10) other=uniform(0.5,4)[M,N] rounding_mode=floor",
               "standard: M=17..60 N=33..90 input=randn[M,N]@scale(10) other=uniform(0.5,4)[M,N] rounding_mode=trunc",
               "boundary: N=65..300 input=randn[33,N]@strided other=2.5",
               "boundary: N=33..90 input=randn[N,33]@transposed other=randn[N,33] out=like",
               "boundary: N=60001..65500 input=randn[N] other=randn[N]",
               "boundary: input=randn[0] other=randn[1]",
               "boundary: input=randn[5,0,3] other=randn[0,1] out=like",
               "boundary: input=randn[1] other=randn[1]",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[257]@offset other=uniform(0.5,4)[257]@offset",
               "boundary: input=randn[9,65]@expanded other=randn[9,65]",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]",
               "boundary: input=randn[1025] other=randn[1025]@shift(1000)",
               "boundary: input=loguniform(1e-18,1e18)[513] other=loguniform(1e-18,1e18)[513]",
               "boundary: input=randint(-1000,1000)[33,17] other=randint(1,100)[33,17]",
               "boundary: input=randint(-1000,1000)[33,17] other=randint(1,100)[33,17] rounding_mode=floor",
               "boundary: input=randint(-1000,1000)[33,17] other=randint(1,100)[33,17] rounding_mode=trunc",
               "boundary: input=randint(-1000,1000)[65]:i32 other=-7 rounding_mode=floor",
               "boundary: input=randint(-1000,1000)[65]:i32 other=7",
               "boundary: input=randn[513]@scale(9) other=-2.5 rounding_mode=floor",
               "boundary: input=randn[513]@scale(9) other=-2.5 rounding_mode=trunc out=like",
               "boundary: input=randn[33,17]:f16 other=uniform(0.5,4)[33,17]:f16",
               "boundary: input=randn[33,17]:f64 other=randn[33,17]:f64",
               "boundary: input=randn[65]:c64 other=randn[65]:c64",
               "boundary: input=values(1,-1,0,nan,1,inf,inf,-1) other=values(0,0,0,1,nan,2,inf,inf)",
               "boundary: * input=randn[33,7] other=randn[7]",
           },
       .perf = {"input=randn[4194304] other=randn[4194304]", "input=randn[2559,2049] other=uniform(0.5,4)[2049]",
                "input=randn[1048576]@scale(10) other=uniform(0.5,4)[1048576] rounding_mode=floor"},
       .cost = each<4>,
       .deviation =
           "The published test leaves rounding_mode alone and divides floating tensors only; here both modes, integers and "
           "negative operands are cases."},
      {.id = "mul",
       .category = Category::math,
       .difficulty = 3,
       .schema = "mul(Tensor input, Tensor other, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Multiplies by `other`, a tensor or a number. Shapes broadcast, and types promote as in PyTorch; complex tensors "
           "are multiplied as complex numbers, integers exactly. Where `out` is given the result is written there and "
           "returned.",
       .math = "y = input * other",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         at::Tensor input = a.tensor("input"), other = a.tensor("other");
         return {out ? at::mul_out(*out, input, other) : at::mul(input, other)};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N] other=randn[N]",
               "standard: M=17..60 N=33..90 input=randn[M,1] other=randn[1,N]",
               "boundary: N=65..300 input=randn[33,N]@strided other=2.5",
               "boundary: N=33..90 input=randn[N,33]@transposed other=randn[N,33] out=like",
               "boundary: N=60001..65500 input=randn[N] other=randn[N]",
               "boundary: input=randint(-1000,1000)[33,17] other=randint(-1000,1000)[33,17]",
               "boundary: input=randint(-3000000000,3000000000)[65] other=randint(-1000000000,1000000000)[65]",
               "boundary: input=randint(-1000,1000)[65]:i32 other=-7",
               "boundary: input=randint(-100,100)[65]:i32 other=randn[65]",
               "boundary: input=randint(-100,100)[65] other=0.5",
               "boundary: input=randint(1,4)[3] other=randint(1,4)[3,1]",
               "boundary: input=bernoulli(0.5)[65] other=randn[65]",
               "boundary: input=randn[33,17]:c64 other=randn[33,17]:c64",
               "boundary: input=randn[65]:c64 other=randn[65]",
               "boundary: input=randn[33,17]:f16 other=randn[33,17]:f16",
               "boundary: input=randn[33,17]:bf16 other=randn[17]:bf16",
               "boundary: input=randn[33,17]:f64 other=randn[33,17]:f64",
               "boundary: input=randn[65]:f16 other=randn[65]",
               "boundary: input=randn[0] other=randn[1]",
               "boundary: input=randn[5,0,3] other=randn[0,1] out=like",
               "boundary: input=randn[1] other=randn[1]",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[] other=3",
               "boundary: input=randn[257]@offset other=randn[257]",
               "boundary: input=randn[9,65]@expanded other=randn[9,65]",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@shift(1000) other=randn[1025]@shift(1000)",
               "boundary: input=values(nan,inf,-inf,inf,0) other=values(1,1,1,0,-0.0)",
               "boundary: * input=randn[33,7] other=randn[7]",
           },
       .perf = {"input=randn[2559,2049] other=randn[2049]", "input=randn[4194304] other=randn[4194304]"},
       .cost = each<1>},
      {.id = "sub",
       .category = Category::math,
       .difficulty = 2,
       .schema = "sub(Tensor input, Tensor other, *, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Subtracts `other`, a tensor or a number, times alpha. Shapes broadcast, and types promote as in PyTorch. Where "
           "`out` is given the result is written there and returned.",
       .math = "y = input - alpha * other",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         at::Tensor input = a.tensor("input"), other = a.tensor("other");
         return {out ? at::sub_out(*out, input, other, a.scalar("alpha")) : at::sub(input, other, a.scalar("alpha"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] other=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N] other=randn[N] alpha=0.5",
               "standard: M=17..60 N=33..90 input=randn[M,1] other=randn[1,N] alpha=-2",
               "boundary: N=65..300 input=randn[33,N]@strided other=2.5",
               "boundary: N=33..90 input=randn[N,33]@transposed other=randn[N,33] out=like",
               "boundary: N=60001..65500 input=randn[N] other=randn[N]",
               "boundary: input=randint(-1000,1000)[33,17] other=randint(-1000,1000)[33,17] alpha=3",
               "boundary: input=randint(-1000,1000)[65]:i32 other=7 alpha=2",
               "boundary: input=randint(-100,100)[65]:i32 other=randn[65]",
               "boundary: input=randint(-100,100)[65] other=0.5",
               "boundary: input=randn[33,17]:c64 other=randn[33,17]:c64",
               "boundary: input=randn[33,17]:f64 other=randn[33,17]:f64 alpha=0.1",
               "boundary: input=randn[33,17]:f16 other=randn[17]:f16",
               "boundary: input=randn[0] other=randn[1]",
               "boundary: input=randn[5,0,3] other=randn[0,1] out=like",
               "boundary: input=randn[1] other=randn[1]",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[] other=3",
               "boundary: input=randn[257]@offset other=randn[257]",
               "boundary: input=randn[9,65]@expanded other=randn[9,65]",
               "boundary: input=randn[1025]@scale(1e-4) other=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@shift(1000) other=randn[1025]@shift(1000)",
               "boundary: input=values(nan,inf,-inf,inf,0) other=values(1,1,1,inf,-0.0)",
               "boundary: input=randn[33] other=randn[33] alpha=0",
               "boundary: * input=randn[33,7] other=randn[7] alpha=2",
           },
       .perf = {"input=randn[4194304] other=randn[4194304]", "input=randn[2559,2049] other=randn[2049] alpha=0.5"},
       .cost = each<2>},
      {.id = "pow",
       .category = Category::math,
       .difficulty = 3,
       .schema = "pow(Tensor input_tensor, Tensor exponent, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Raises each element to the power of `exponent`, a tensor or a number. Shapes broadcast, and types promote as in "
           "PyTorch. A negative base has a power for integral exponents only, else the result is NaN; anything to the power "
           "0, and 1 to any power, is 1, NaN included. Where `out` is given the result is written there and returned.",
       .math = "y = input_tensor ^ exponent",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         at::Tensor base = a.tensor("input_tensor"), exponent = a.tensor("exponent");
         return {out ? at::pow_out(*out, base, exponent) : at::pow(base, exponent)};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input_tensor=uniform(0.1,3)[M,N] exponent=randn[M,N]@fixed",
               "standard: N=1000..4095 input_tensor=uniform(0.1,3)[3,N] exponent=2.0",
               "standard: M=17..60 N=33..90 input_tensor=uniform(0.1,3)[M,1] exponent=uniform(-4,4)[1,N]@fixed",
               "standard: M=17..70 N=65..300 input_tensor=uniform(0.1,3)[M,N] exponent=-0.5",
               "boundary: N=65..300 input_tensor=randn[33,N]@strided exponent=3",
               "boundary: N=33..90 input_tensor=uniform(0.1,3)[N,33]@transposed exponent=randn[N,33] out=like",
               "boundary: N=60001..65500 input_tensor=uniform(0.1,3)[N] exponent=randn[N]",
               "boundary: input_tensor=uniform(0.1,3)[513] exponent=0.5",
               "boundary: input_tensor=uniform(0.1,3)[513] exponent=-2",
               "boundary: input_tensor=uniform(0.1,3)[513] exponent=1.7",
               "boundary: input_tensor=randn[513] exponent=2",
               "boundary: input_tensor=randn[513] exponent=values(0,1,2,3,-1)[513]",
               "boundary: input_tensor=randint(-10,10)[33,17] exponent=randint(0,8)[33,17]",
               "boundary: input_tensor=randint(-10,10)[65]:i32 exponent=3",
               "boundary: input_tensor=randint(1,10)[65] exponent=uniform(-2,2)[65]",
               "boundary: input_tensor=randint(1,10)[65] exponent=0.5",
               "boundary: input_tensor=uniform(0.1,3)[33,17]:f64 exponent=randn[33,17]:f64",
               "boundary: input_tensor=uniform(0.1,3)[33,17]:f16 exponent=randn[33,17]:f16",
               "boundary: input_tensor=uniform(0.1,3)[0] exponent=randn[1]",
               "boundary: input_tensor=uniform(0.1,3)[5,0,3] exponent=randn[0,1] out=like",
               "boundary: input_tensor=uniform(0.1,3)[1] exponent=randn[1]",
               "boundary: input_tensor=uniform(0.1,3)[] exponent=randn[]",
               "boundary: input_tensor=uniform(0.1,3)[257]@offset exponent=randn[257]@offset",
               "boundary: input_tensor=uniform(0.1,3)[9,65]@expanded exponent=randn[9,65]",
               "boundary: input_tensor=uniform(0.1,3)[1025]@scale(1e-4) exponent=randn[1025]",
               "boundary: input_tensor=uniform(0.1,3)[1025] exponent=randn[1025]@scale(1e-4)",
               "boundary: input_tensor=uniform(0.1,3)[1025]@shift(1000) exponent=randn[1025]",
               "boundary: input_tensor=uniform(1.5,3)[513] exponent=uniform(20,60)[513]",
               "boundary: input_tensor=values(0,0,0,-2,-2,1,nan,inf,-inf,2,2,-8) "
               "exponent=values(0,-1,2,0.5,3,nan,0,-1,3,inf,-inf,0.3333333)",
               "boundary: input_tensor=uniform(0.1,3)[33,7] * exponent=randn[7]",
               "boundary: input_tensor=uniform(0.1,3)[33,7] exponent=1.5 *",
           },
       .perf = {"input_tensor=uniform(0.1,3)[1048576] exponent=2.0",
                "input_tensor=uniform(0.1,3)[1023,1025] exponent=randn[1023,1025]"},
       .perf_gpu = {"input_tensor=uniform(0.1,3)[33554432] exponent=2.0",
                    "input_tensor=uniform(0.1,3)[2047,2049] exponent=randn[2047,2049]"},
       .cost = each<16>,
       .deviation =
           "The published test raises positive numbers to a few fixed exponents; here negative bases, integers, zeros and "
           "large exponents are cases."},
  };
  return tasks;
}

}  // namespace kbx
