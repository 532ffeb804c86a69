// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/std.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values sum_std(const Args& a) {
  const auto dims = a.maybe_ints("dim");
  at::OptionalIntArrayRef dim;
  if (dims) dim = at::IntArrayRef(*dims);
  const at::Tensor sums = at::sum(a.tensor("input"), dim, a.flag("keepdim"), a.maybe_dtype("dtype"));
  const std::optional<at::Scalar> correction = a.integer("correction");
  if (auto out = a.maybe_tensor("out")) return {at::std_out(*out, sums, at::OptionalIntArrayRef(), correction)};
  return {at::std(sums, at::OptionalIntArrayRef(), correction)};
}

Values sum_std_published(const Args& a) {
  if (a.maybe_ints("dim")) return sum_std(a);
  return {at::zeros_like(sum_std(a).front())};
}

}  // namespace

std::span<const Task> sum_std_family() {
  static const Task tasks[] = {
      {.id = "fused_sum_std",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_sum_std(Tensor input, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, int correction=1, "
                 "Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Sums over the dimensions in dim, or over all of them, then takes the standard deviation of all the sums: always "
           "one number, whatever keepdim says. dtype is the type of the sums. With one sum and correction 1 the deviation is "
           "NaN. Where `out` is given the result is written there and returned.",
       .math = "s = sum(input, dim), y = sqrt(sum((s - mean(s))^2) / max(0, n - correction)), n the number of sums",
       .reference = sum_std,
       .published = sum_std_published,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..200 N=17..60 input=randn[M,N] dim=0",
               "standard: M=17..40 N=33..90 input=randn[M,N] dim=1 keepdim=true correction=0",
               "standard: A=3..9 B=9..17 C=17..33 input=randn[A,B,C] dim=[0,2]",
               "standard: M=17..60 N=65..300 input=randn[M,N]",
               "boundary: input=values(1,2,3,4)",
               "boundary: input=randn[17,33] correction=0",
               "boundary: input=randn[17,33] dim=0 correction=2",
               "boundary: input=randn[3,33] dim=1 correction=3",
               "boundary: input=randn[2,4097] dim=1",
               "boundary: input=randint(-9,9)[9,33] dim=0 dtype=f32",
               "boundary: input=randn[9,33] dim=1 dtype=f64",
               "boundary: input=randn[9,33] dim=-1 out=like",
               "boundary: input=randn[0,5] dim=0",
               "boundary: input=randn[5,0] dim=0",
               "boundary: input=randn[1]",
               "boundary: input=randn[]",
               "boundary: input=randn[1,1] dim=0",
               "boundary: input=randn[9,33]@strided dim=1",
               "boundary: input=randn[9,33]@transposed dim=1",
               "boundary: input=randn[9,33]@offset dim=0",
               "boundary: input=randn[9,33]@expanded dim=1",
               "boundary: input=randn[17,33]@scale(1e-4) dim=1",
               "boundary: input=randn[17,65]@shift(1000) dim=1",
               "boundary: input=randn[9,33]@poke(nan) dim=1",
               "boundary: input=randn[9,33]@poke(inf) dim=0",
               "boundary: * input=randn[9,33] dim=1",
               "boundary: input=randn[9,33] dim=[1] keepdim=true *",
           },
       .perf = {"input=randn[3583,4097] dim=1", "input=randn[4097,3071] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input").numel())};
       },
       .deviation =
           "Without dim there is one sum, whose deviation is NaN; the published reference gives 0 there, on the CPU wherever "
           "the input lies, and its timed cases call it so. Here it is NaN, the timed cases have dim, and `out` is written."},
  };
  return tasks;
}

}  // namespace kbx
