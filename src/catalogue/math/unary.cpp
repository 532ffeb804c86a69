// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/abs.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/i0.h>
#include <ATen/ops/reciprocal.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"

namespace kbx {
std::span<const Task> unary_family() {
  static constexpr Elementwise kTensor = {.argument = "input_tensor"}, kCos = {.argument = "input_tensor", .out = ""};
  static const Task tasks[] = {
      {.id = "abs",
       .category = Category::math,
       .difficulty = 1,
       .schema = "abs(Tensor input_tensor, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Absolute value of each element. Where `out` is given the result is written there and returned.",
       .math = "y = |x|",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::abs_out(*out, a.tensor("input_tensor")) : at::abs(a.tensor("input_tensor"))};
       },
       .contract = exact(),
       .cases = elementwise_cases(kTensor, {"boundary: input_tensor=loguniform(1e-44,1e38)[513]@scale(-1)",
                                            "boundary: input_tensor=values(nan,inf,-inf,0,-0.0,1,-1)"}),
       .perf = elementwise_perf(kTensor),
       .cost = each<1>},
      {.id = "cos",
       .category = Category::math,
       .difficulty = 1,
       .schema = "cos(Tensor input_tensor) -> Tensor",
       .summary = "Cosine of each element, an angle in radians; right for large angles too.",
       .math = "y = cos(x); NaN at infinity",
       .reference = [](const Args& a) -> Values { return {at::cos(a.tensor("input_tensor"))}; },
       .contract = numeric(),
       .cases = elementwise_cases(
           kCos, {"standard: N=1000..4095 input_tensor=uniform(-3.1416,3.1416)[3,N]",
                  "boundary: input_tensor=linspace(1.5707,1.5709)[513]", "boundary: input_tensor=uniform(-100,100)[1025]",
                  "boundary: input_tensor=uniform(-1e5,1e5)[1025]", "boundary: input_tensor=values(nan,inf,-inf,0,-0.0)"}),
       .perf = elementwise_perf(kCos, Pace::vectorised),
       .cost = each<8>},
      {.id = "floor",
       .category = Category::math,
       .difficulty = 2,
       .schema = "floor(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "The largest integer that is not above each element, in the input's type; integers are copied. Where `out` is "
                  "given the result is written there and returned.",
       .math = "y = the largest integer <= x",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::floor_out(*out, a.tensor("input")) : at::floor(a.tensor("input"))};
       },
       .contract = exact(),
       .cases = elementwise_cases(
           {}, {"standard: N=1000..4095 input=uniform(-50,50)[3,N]", "boundary: N=33..200 input=randint(-1000,1000)[17,N]",
                "boundary: input=randint(-9000000000000000,9000000000000000)[65]", "boundary: input=linspace(-4,4)[33]",
                "boundary: input=uniform(-1e-6,0)[65]", "boundary: input=loguniform(1e5,1e30)[513]",
                "boundary: input=randn[513]@scale(1e9)", "boundary: input=values(nan,inf,-inf,0,-0.0,-0.5,0.99999994)"}),
       .perf = elementwise_perf({}),
       .cost = each<1>},
      {.id = "i0",
       .category = Category::math,
       .difficulty = 2,
       .schema = "i0(Tensor input_tensor, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Modified Bessel function of the first kind and order zero of each element. Where `out` is given the result is "
                  "written there and returned.",
       .math = "y = sum over k >= 0 of (x^2 / 4)^k / (k!)^2",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::i0_out(*out, a.tensor("input_tensor")) : at::i0(a.tensor("input_tensor"))};
       },
       .contract = numeric(),
       // No infinity: the expression that is evaluated at large arguments makes it NaN, the function's limit is infinity.
       .cases = elementwise_cases(
           kTensor, {"boundary: input_tensor=linspace(-12,12)[1001]", "boundary: input_tensor=linspace(7.9,8.1)[513]",
                     "boundary: input_tensor=linspace(-85,85)[1001]", "boundary: input_tensor=values(nan,0,-0.0,8,-8)"}),
       .perf = {"input_tensor=randn[131072]", "input_tensor=randn[255,1025]"},
       .cost = each<40>},
      {.id = "reciprocal",
       .category = Category::math,
       .difficulty = 2,
       .schema = "reciprocal(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "One over each element; integers give floating results of the default type. Where `out` is given the result is "
                  "written there and returned.",
       .math = "y = 1 / x; infinity at zero, with the sign of the zero",
       .reference = [](const Args& a) -> Values {
         auto out = a.maybe_tensor("out");
         return {out ? at::reciprocal_out(*out, a.tensor("input")) : at::reciprocal(a.tensor("input"))};
       },
       .contract = numeric(),
       .cases = elementwise_cases(
           {}, {"boundary: input=loguniform(1e-30,1e30)[1025]", "boundary: input=loguniform(1e-30,1e30)[1025]@scale(-1)",
                "boundary: input=randint(1,1000)[257]", "boundary: input=randint(-1000,0)[65]:i32",
                "boundary: input=randn[513]@shift(1000)", "boundary: input=values(nan,inf,-inf,0,-0.0)"}),
       .perf = elementwise_perf({}),
       .cost = each<4>},
  };
  return tasks;
}

}  // namespace kbx
