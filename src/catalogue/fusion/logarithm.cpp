// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/any.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>
#include <c10/util/Exception.h>

#include "catalogue/cost.h"
#include "catalogue/elementwise_cases.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values log_tanh(const Args& a) {
  const at::Tensor input = a.tensor("input");
  TORCH_CHECK(!at::any(at::le(input, 0)).item<bool>(),
              "All input elements must be positive for the logarithm function to be defined.");
  return written(a, at::tanh(at::log(input)));
}

Values softmax_log(const Args& a) {
  const auto type = a.maybe_dtype("dtype");
  const at::Tensor input = a.tensor("input");
  return {at::softmax(at::log(type ? input.to(*type) : input), a.integer("dim"))};
}

}  // namespace

std::span<const Task> fused_logarithm_family() {
  static constexpr Elementwise kLogTanh = {.recipe = "uniform(0.1,4)"};
  static constexpr Elementwise kSoftmaxLog = {.recipe = "uniform(0.1,4)", .out = ""};
  static const Task tasks[] = {
      {.id = "fused_log_tanh",
       .category = Category::fusion,
       .difficulty = 1,
       .schema = "fused_log_tanh(Tensor input, *, Tensor(a!)? out=None) -> Tensor",
       .summary = "Hyperbolic tangent of the natural logarithm of each element. All elements have to be positive: if any is "
                  "negative or zero (of either sign) the function raises an error, whatever its class and words, instead of "
                  "returning. NaN is no reason to raise and gives NaN. Where `out` is given the result is written there and "
                  "returned.",
       .math = "y = tanh(log(x)), which is (x^2 - 1) / (x^2 + 1)",
       .reference = log_tanh,
       .contract = numeric(),
       .cases = elementwise_cases(kLogTanh,
                                  {
                                      "boundary: input=values(-1,0,2) raises",
                                      "boundary: input=uniform(0.1,4)[33,65]@poke(0) raises",
                                      "boundary: input=uniform(0.1,4)[4097]@poke(-1e-3) raises",
                                      "boundary: input=values(1,2,-0.0) raises",
                                      "boundary: input=values(-inf,1) raises",
                                      "boundary: input=uniform(0.1,4)[9,65]@poke(0) out=ones[9,65] raises",
                                      "boundary: input=values(nan,inf,1,0.5,1e-30,1e30)",
                                      "boundary: input=loguniform(1e-30,1e30)[1025]",
                                      "boundary: input=randn[1025]@scale(1e-4)@shift(1)",
                                      "boundary: input=randn[1025]@shift(1000)",
                                      "boundary: input=uniform(0.1,4)[33,17] *",
                                      "boundary: * input=uniform(0.1,4)[33,17]",
                                  }),
       .perf = {"input=uniform(0.1,4)[2097152]", "input=uniform(0.1,4)[1535,1025]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 16 * outputs(out)};
       },
       .deviation =
           "The published test compares the words of the error. Here any error is right where an element is not positive."},

      {.id = "fused_softmax_log",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_softmax_log(Tensor input, int dim=-1, *, ScalarType? dtype=None) -> Tensor",
       .summary = "Natural logarithm of each element, then the softmax along dim. dtype, where given, is the type that the input "
                  "is converted to before anything is computed, and that of the result. Positive elements come out divided by "
                  "their sum and zeros stay zero; a negative element or NaN has no logarithm and makes its slice NaN, and so "
                  "do zeros alone.",
       .math = "y = softmax(log(x), dim), for x >= 0: y[i] = x[i] / sum over j of x[j]",
       .reference = softmax_log,
       .contract = numeric(),
       .cases = elementwise_cases(kSoftmaxLog,
                                  {
                                      "standard: M=65..300 N=17..70 input=uniform(0.1,4)[M,N] dim=0",
                                      "boundary: A=3..9 C=33..90 input=uniform(0.1,4)[A,17,C] dim=1",
                                      "boundary: input=uniform(0.1,4)[7,9,17] dim=-3",
                                      "boundary: input=uniform(0.1,4)[33,65] dtype=f64",
                                      "boundary: input=uniform(0.1,4)[33,65]:f64 dim=1",
                                      "boundary: input=uniform(0.1,4)[33,65]:f64 dtype=f32",
                                      "boundary: input=uniform(0.1,4)[33,65]:f16 dtype=f32",
                                      "boundary: input=uniform(0.1,4)[33,65]:bf16 dim=0 dtype=f32",
                                      "boundary: input=randint(1,100)[33,65]:i32 dim=0 dtype=f32",
                                      "boundary: input=loguniform(1e-20,1e20)[33,65]",
                                      "boundary: input=uniform[33,65]@shift(1000)",
                                      "boundary: input=uniform(0.1,4)[33,65]@poke(0,0,0)",
                                      "boundary: input=values(0,1,0,3,0,0)[3,2]",
                                      "boundary: input=uniform(0.1,4)[9,17]@poke(-1)",
                                      "boundary: input=uniform(0.1,4)[9,17]@poke(nan)",
                                      "boundary: input=uniform(0.1,4)[33,1]",
                                      "boundary: input=uniform(0.1,4)[0,3] dim=0",
                                      "boundary: input=uniform(0.1,4)[33,17] dim=0 *",
                                      "boundary: * input=uniform(0.1,4)[33,17] dim=0 dtype=f64",
                                  }),
       .perf = {"input=uniform(0.1,4)[2047,1025]", "input=uniform(0.1,4)[1535,1024] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 6 * static_cast<double>(a.tensor("input").numel())};
       }},
  };
  return tasks;
}

}  // namespace kbx
