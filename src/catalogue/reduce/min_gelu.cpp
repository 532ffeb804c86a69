// SPDX-License-Identifier: Apache-2.0
#include "catalogue/reduce/min_gelu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/min.h>

#include <numbers>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values smallest(const Args& a, const at::Tensor& values) {
  if (const auto dim = a.maybe_integer("dim")) {
    auto [least, indices] = at::min(values, *dim, a.flag("keepdim"));
    return {least, indices};
  }
  const at::Tensor least = at::min(values);
  if (auto out = a.maybe_tensor("out")) return {out->copy_(least)};
  return {least};
}

Values min_gelu(const Args& a) { return smallest(a, at::gelu(a.tensor("input"), a.text("approximate"))); }

Values min_gelu_published(const Args& a) {
  if (a.text("approximate") != "none") return min_gelu(a);
  at::Tensor input = a.tensor("input");
  return smallest(a, input * at::erf(input / std::numbers::sqrt2) / 2);
}

}  // namespace

std::span<const Task> min_gelu_family() {
  static const Task tasks[] = {
      {.id = "min_gelu",
       .category = Category::reduce,
       .difficulty = 2,
       .schema = "min_gelu(Tensor input, int? dim=None, bool keepdim=False, str approximate='none', *, Tensor(a!)? out=None) -> "
                 "(Tensor values, Tensor indices)",
       .summary =
           "Gaussian error linear unit of each element, exactly (by erf) or by the usual tanh form, and the smallest of the "
           "results. With dim: the smallest along it, and an index (int64) where it is; any index will do whose value float32 "
           "arithmetic may take for the smallest. keepdim keeps that dimension with size 1. Without dim: one 0-dim tensor, the "
           "smallest of all, and no index; only then `out` may be given, into which the result is written. NaN counts as "
           "smaller than everything.",
       .math = "values = min over dim of gelu(x), gelu(x[.., indices, ..]) = values\n"
               "approximate='none': gelu(x) = x * Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': gelu(x) = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
       .reference = min_gelu,
       .jump = smallest_gelus,
       .published = min_gelu_published,
       .contract = {Numeric{}, Jump{}},
       .cases =
           {
               "standard: M=17..90 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input=randn[M,N] dim=0 approximate=tanh",
               "standard: N=1000..4095 input=randn[5,N] dim=-1 keepdim=true",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] dim=1 keepdim=true approximate=tanh",
               "standard: M=17..90 N=65..300 input=randn[M,N]",
               "standard: M=17..90 N=65..300 input=randn[M,N] approximate=tanh",
               "boundary: N=33..200 input=randn[17,N]@strided dim=1",
               "boundary: N=33..90 input=randn[N,17]@transposed dim=0",
               "boundary: input=randn[257] out=like",
               "boundary: input=randn[33] approximate=tanh out=like",
               "boundary: input=randint(-2,3)[33,9]:f32 dim=1",
               "boundary: input=full(3)[9,17] dim=1",
               "boundary: input=uniform(-0.753,-0.751)[9,33] dim=1",
               "boundary: input=uniform(-8,-4)[9,33] dim=1",
               "boundary: input=uniform(-8,-4)[9,33] dim=1 approximate=tanh",
               "boundary: input=uniform(0.5,4)[9,33] dim=1",
               "boundary: input=uniform(0.5,4)[9,33] approximate=tanh",
               "boundary: input=randn[5,0,3] dim=0",
               "boundary: input=randn[1] dim=0",
               "boundary: input=randn[] dim=0",
               "boundary: input=randn[]",
               "boundary: input=randn[9,1] dim=1",
               "boundary: input=randn[9,33] keepdim=true",
               "boundary: input=randn[9,33]@offset dim=1",
               "boundary: input=randn[9,33]@expanded dim=1",
               "boundary: input=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(1000) dim=1",
               "boundary: input=randn[9,65]@poke(nan) dim=1",
               "boundary: input=randn[65]@poke(nan)",
               "boundary: input=randn[9,33]:f64 dim=0",
               "boundary: input=randn[9,33] dim=-2 keepdim=true approximate=tanh *",
               "boundary: * input=randn[9,33]",
           },
       .perf = {"input=randn[2047,1025] dim=1", "input=randn[1023,1025] dim=0 approximate=tanh", "input=randn[3145728]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 17 * static_cast<double>(a.tensor("input").numel())};
       },
       .deviation =
           "The published reference leaves out the 1 in the exact GELU and so computes x * erf(x / sqrt(2)) / 2; here it is the "
           "GELU of its own formula. Of elements with equal values any index is right. `out` is one tensor, for the form without "
           "dim; the published one may be a pair as well, and is not tested."},
  };
  return tasks;
}

}  // namespace kbx
