// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/asin.h>
#include <ATen/ops/log.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/signbit.h>
#include <ATen/ops/trunc.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {
std::span<const Task> elementary_family() {
  static constexpr Elementwise kSine = {.argument = "input_tensor", .recipe = "uniform(-0.99,0.99)", .out = ""},
                               kPositive = {.recipe = "uniform(0.05,4)"};
  static const Task tasks[] = {
      {.id = "asin",
       .category = Category::math,
       .difficulty = 1,
       .schema = "asin(Tensor input_tensor) -> Tensor",
       .summary = "Arcsine of each element in radians, between -pi/2 and pi/2; NaN outside [-1, 1].",
       .math = "y = asin(x), so that sin(y) = x",
       .reference = [](const Args& a) -> Values { return {at::asin(a.tensor("input_tensor"))}; },
       .contract = numeric(),
       .cases = elementwise_cases(
           kSine, {"standard: N=1000..4095 input_tensor=uniform(-1,1)[3,N]@fixed", "boundary: input_tensor=linspace(0.98,1)[513]",
                   "boundary: input_tensor=linspace(-1,-0.98)[513]", "boundary: input_tensor=loguniform(1e-30,1)[1025]",
                   "boundary: input_tensor=uniform(-2,2)[513]", "boundary: input_tensor=uniform(-1,1)[33,65]:f64",
                   "boundary: input_tensor=uniform(-1,1)[33,65]:f16",
                   "boundary: input_tensor=values(nan,inf,-inf,0,-0.0,1,-1,0.5,-0.5)"}),
       .perf = elementwise_perf(kSine, Pace::vectorised),
       .cost = each<16>},
      {.id = "log",
       .category = Category::math,
       .difficulty = 1,
       .schema = "log(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Natural logarithm of each element: -inf at zero, NaN below. Integers give floating results of the default "
                  "type. Where `out` is given the result is written there and returned.",
       .math = "y = ln(x)",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::log_out(*out, a.tensor("input")) : at::log(a.tensor("input"))};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kPositive,
           {"standard: M=17..60 N=33..200 input=uniform(0.05,4)[M,N] out=like", "boundary: input=loguniform(1e-37,1e38)[1025]",
            "boundary: input=linspace(0.999,1.001)[513]", "boundary: input=uniform(0.05,4)[513]@shift(1000)",
            "boundary: input=randint(1,100000)[257]", "boundary: input=loguniform(1e-9,1e9)[33,65]:f64",
            "boundary: input=loguniform(1e-3,1e3)[33,65]:f16", "boundary: input=loguniform(1e-9,1e9)[33,65]:bf16",
            "boundary: input=values(nan,inf,-inf,0,-0.0,1,-1)", "boundary: * input=uniform(0.05,4)[33,7]"}),
       .perf = elementwise_perf(kPositive),
       .cost = each<8>},
      {.id = "rsqrt",
       .category = Category::math,
       .difficulty = 1,
       .schema = "rsqrt(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "One over the square root of each element: infinite at zero, NaN below. Integers give floating results of the "
                  "default type. Where `out` is given the result is written there and returned.",
       .math = "y = 1 / sqrt(x)",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::rsqrt_out(*out, a.tensor("input")) : at::rsqrt(a.tensor("input"))};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           kPositive,
           {"standard: M=17..60 N=33..200 input=uniform(0.05,4)[M,N] out=like", "boundary: input=loguniform(1e-37,1e38)[1025]",
            "boundary: input=uniform(0.05,4)[513]@shift(1000)", "boundary: input=randint(1,100000)[257]",
            "boundary: input=loguniform(1e-9,1e9)[33,65]:f64", "boundary: input=loguniform(1e-3,1e3)[33,65]:f16",
            "boundary: input=values(nan,inf,-inf,0,1,-1,4)", "boundary: * input=uniform(0.05,4)[33,7]"}),
       .perf = elementwise_perf(kPositive),
       .cost = each<4>},
      {.id = "trunc",
       .category = Category::math,
       .difficulty = 1,
       .schema = "trunc(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Each element without its fraction, rounded towards zero, in the input's type; integers are copied. Where "
                  "`out` is given the result is written there and returned.",
       .math = "y = sign(x) * floor(|x|)",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::trunc_out(*out, a.tensor("input")) : at::trunc(a.tensor("input"))};
       },
       .contract = exact(),
       .cases = elementwise_cases(
           {},
           {"standard: N=1000..4095 input=uniform(-50,50)[3,N]", "boundary: N=33..200 input=randint(-1000,1000)[17,N]",
            "boundary: input=randint(-9000000000000000,9000000000000000)[65]", "boundary: input=linspace(-4,4)[33]",
            "boundary: input=uniform(-1e-6,0)[65]", "boundary: input=loguniform(1e5,1e30)[513]",
            "boundary: input=randn[513]@scale(1e9)", "boundary: input=randn[33,65]:f16@scale(20)",
            "boundary: input=values(nan,inf,-inf,0,-0.0,-0.5,0.99999994,-0.99999994,1.5,-1.5)", "boundary: * input=randn[33,7]"}),
       .perf = elementwise_perf({}),
       .cost = each<1>},
      {.id = "signbit",
       .category = Category::math,
       .difficulty = 2,
       .schema = "signbit(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Whether the sign bit of each element is set, as booleans: true for negative numbers and for -0.0, false for "
                  "0.0. Integers are true where they are negative. Where `out`, a boolean tensor, is given the result is "
                  "written there and returned.",
       .math = "y = true where the sign of x is negative, that of zero included; false elsewhere",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::signbit_out(*out, a.tensor("input")) : at::signbit(a.tensor("input"))};
       },
       .contract = exact(),
       // Each result holds a false, so that no constant is right.
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N]",
               "standard: N=1000..4095 input=randn[3,N]",
               "standard: A=3..9 B=33..90 input=randn[A,B,17]",
               "boundary: N=33..90 input=randn[33,N]@transposed",
               "boundary: N=65..200 input=randn[33,N]@strided",
               "boundary: N=60001..65500 input=randn[N]",
               "boundary: input=randn[0]",
               "boundary: input=ones[1]",
               "boundary: input=zeros[]",
               "boundary: input=randn[257]@offset",
               "boundary: input=randn[9,65]@expanded",
               "boundary: input=randn[1025]@scale(1e-30)",
               "boundary: N=65..200 input=randn[33,N] out=like",
               "boundary: input=randn[0,3] out=like",
               "boundary: input=values(0,-0.0)[1025]",
               "boundary: input=values(inf,-inf,0,-0.0,1e-45,-1e-45,1e38,-1e38)",
               "boundary: input=randint(-3,3)[33,17]",
               "boundary: input=randint(-3,3)[33,17]:i8",
               "boundary: input=randint(0,3)[33]:u8",
               "boundary: input=randn[33,65]:f64",
               "boundary: input=randn[33,65]:f16",
               "boundary: input=values(0,-0.0,3,-3)[33,65]:bf16",
               "boundary: input=randn[33,7] *",
               "boundary: * input=randn[33,7]",
           },
       .perf = {"input=randn[8388608]", "input=randn[3071,2049]"},
       .cost = each<1>},
  };
  return tasks;
}

}  // namespace kbx
