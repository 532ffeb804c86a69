// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/min.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/std.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// An owner for what OptionalIntArrayRef only refers to.
struct Dims {
  explicit Dims(const Args& a) : list(a.maybe_ints("dim")) {}
  at::OptionalIntArrayRef ref() const {
    if (!list) return {};
    return at::IntArrayRef(*list);
  }
  std::optional<std::vector<int64_t>> list;
};

Values exp_mean(const Args& a) {
  const at::Tensor powers = at::exp(a.tensor("input"));
  const Dims dim(a);
  if (auto out = a.maybe_tensor("out")) return {at::mean_out(*out, powers, dim.ref(), a.flag("keepdim"), a.maybe_dtype("dtype"))};
  return {at::mean(powers, dim.ref(), a.flag("keepdim"), a.maybe_dtype("dtype"))};
}

at::Tensor gelu_of(const Args& a) { return at::gelu(a.tensor("input"), a.text("approximate")); }

Values gelu_std(const Args& a) {
  const at::Tensor activated = gelu_of(a);
  const Dims dim(a);
  const std::optional<at::Scalar> correction = a.integer("correction");
  if (auto out = a.maybe_tensor("out")) return {at::std_out(*out, activated, dim.ref(), correction, a.flag("keepdim"))};
  return {at::std(activated, dim.ref(), correction, a.flag("keepdim"))};
}

Values least(const Args& a, const at::Tensor& activated) {
  const auto dim = a.maybe_integer("dim");
  if (!dim) return {at::min(activated)};
  const auto [values, indices] = at::min(activated, *dim, a.flag("keepdim"));
  return {values, indices};
}

Values gelu_min(const Args& a) { return least(a, gelu_of(a)); }

// x erf(x / sqrt 2) / 2: the 1 of the distribution function is missing.
Values gelu_min_published(const Args& a) {
  if (a.text("approximate") != "none") return gelu_min(a);
  const at::Tensor x = a.tensor("input");
  return least(a, x * 0.5 * at::erf(x / std::sqrt(2.0)));
}

// How far apart two values of GELU have to be for honest kernels to agree which is less: 64 roundings of what is computed in
// float32, and two of what is rounded to 16 bits before it is compared.
double tie_width(const Args& a) {
  const size_t bytes = c10::elementSize(a.own_type("input"));
  return bytes == 2 ? 0x1p-9 : bytes == 4 ? 0x1p-18 : 0x1p-47;
}

// GELU has its minimum at -0.75 and is flat there: of values within rounding of the least honest kernels choose any.
Values any_of_the_least(const Args& a) {
  constexpr int64_t kMostTies = 16;
  const int64_t dim = a.integer("dim");
  const at::Tensor activated = gelu_of(a);
  const auto [values, indices] = at::min(activated, dim, a.flag("keepdim"));
  const at::Tensor decided = at::ones_like(values);
  if (activated.dim() == 0 || activated.size(dim) < 2) return {decided, indices};

  // A NaN is the least of all, as it is for min.
  const at::Tensor ordered = activated.masked_fill(activated.isnan(), -std::numeric_limits<double>::infinity());
  const auto [least, where] = at::topk(ordered, std::min(kMostTies, ordered.size(dim)), dim, /*largest=*/false);
  const at::Tensor first = least.narrow(dim, 0, 1), width = first.abs() * tie_width(a);
  const at::Tensor tied = (least - first).le(width.masked_fill(width.isinf(), 0)).logical_or_(least.eq(first));
  const at::Tensor chosen = at::where(tied, where, where.narrow(dim, 0, 1));
  const auto nth = [&](const at::Tensor& t, int64_t n) { return t.narrow(dim, n, 1).reshape(values.sizes()); };
  // NaN has no sign: any side is right.
  Values sides{decided.masked_fill(nth(tied, 1), std::numeric_limits<double>::quiet_NaN())};
  for (int64_t n = 0; n < chosen.size(dim); ++n) sides.push_back(nth(chosen, n));
  return sides;
}

double inputs(const Args& a) { return static_cast<double>(a.tensor("input").numel()); }

}  // namespace

std::span<const Task> fused_activation_reduction_family() {
  static const Task tasks[] = {
      {.id = "fused_exp_mean",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_exp_mean(Tensor input, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!)? "
                 "out=None) -> Tensor",
       .summary =
           "Exponential of each element, then the mean over the dimensions in dim, or over all of them. keepdim leaves reduced "
           "dimensions with size 1. dtype is the type in which the mean is taken and returned; without it that is the input's, "
           "and float32 for integers. "
           "The mean of nothing is NaN. Where `out` is given the result is written there and returned.",
       .math = "y = (sum over dim of exp(x)) / n, n the number of elements in the sum",
       .reference = exp_mean,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..300 N=17..60 input=randn[M,N] dim=0 keepdim=true",
               "standard: M=17..40 N=33..200 input=randn[M,N]",
               "standard: N=1000..4095 input=randn[5,N] dim=-1",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] dim=[0,2] keepdim=true",
               "boundary: input=randn[17,33] keepdim=true",
               "boundary: input=randn[3,5,7,9] dim=[1,-1]",
               "boundary: input=randn[257]",
               "boundary: input=randint(-5,5)[17,33] dim=1",
               "boundary: input=randn[17,33]:f64 dim=1 dtype=f32",
               "boundary: input=randn[17,257]:f64 dim=1 dtype=f64",
               "boundary: input=randn[17,257]:f16 dim=1",
               "boundary: input=randn[9,33]:f64 dim=0",
               "boundary: input=randn[17,33] dim=1 out=like",
               "boundary: input=randn[17,33]:f64 dim=0 keepdim=true dtype=f32 out=like",
               "boundary: input=randn[0,5] dim=0",
               "boundary: input=randn[0,5] dim=1",
               "boundary: input=randn[0]",
               "boundary: input=randn[1]",
               "boundary: input=randn[]",
               "boundary: input=randn[33,65]@strided dim=1",
               "boundary: input=randn[33,17]@transposed dim=1",
               "boundary: input=randn[17,33]@offset dim=0",
               "boundary: input=randn[9,33]@expanded dim=1",
               "boundary: input=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(75) dim=1",
               "boundary: input=randn[9,257]@shift(-80) dim=1",
               "boundary: input=randn[9,33]@poke(nan) dim=1",
               "boundary: input=values(inf,1,-inf,2,200,0)[3,2] dim=1",
               "boundary: input=randn[9,33] dim=[0] keepdim=true *",
               "boundary: * input=randn[9,33] dim=none keepdim=false",
           },
       .perf = {"input=randn[2047,2049] dim=1", "input=randn[4095,1025] dim=0", "input=randn[5242880]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 9 * inputs(a)};
       },
       .deviation = "The published reference ignores dtype and `out`; here both count."},

      {.id = "fused_gelu_std",
       .category = Category::fusion,
       .difficulty = 3,
       .schema =
           "fused_gelu_std(Tensor input, int[1]? dim=None, bool keepdim=False, int correction=1, str approximate='none', *, "
           "Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Gaussian error linear unit of each element, either exactly (by erf) or by the usual tanh form, then the standard "
           "deviation over the dimensions in dim, or over all of them. keepdim leaves reduced dimensions with size 1; correction "
           "is taken off the number of elements. One element with correction 1, or none, gives NaN. Where `out` is given the "
           "result is written there and returned.",
       .math = "approximate='none': g = x * (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': g = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))\n"
               "y = sqrt((sum over dim of (g - mean(g))^2) / max(0, n - correction)), n the number of elements in the sum",
       .reference = gelu_std,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..300 N=17..60 input=randn[M,N] dim=0 approximate=tanh",
               "standard: M=17..40 N=33..200 input=randn[M,N] keepdim=true approximate=tanh",
               "standard: N=1000..4095 input=randn[5,N] dim=-1 correction=0",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] dim=[0,2] keepdim=true",
               "boundary: input=randn[17,5] dim=1 correction=0 approximate=tanh",
               "boundary: input=randn[17,5] dim=1 correction=2",
               "boundary: input=randn[7,3] dim=1 correction=3",
               "boundary: input=randn[7,3] dim=1 correction=5",
               "boundary: input=randn[3,5,7,9] dim=[1,-1] approximate=tanh",
               "boundary: input=randn[10]",
               "boundary: input=randn[10] approximate=tanh",
               "boundary: input=randn[9,33]:f64 dim=0",
               "boundary: input=randn[17,33] dim=1 out=like",
               "boundary: input=randn[17,33] dim=0 keepdim=true out=like",
               "boundary: input=randn[0,5] dim=0",
               "boundary: input=randn[0,5] dim=1",
               "boundary: input=randn[1]",
               "boundary: input=randn[]",
               "boundary: input=randn[7,1] dim=1 correction=0",
               "boundary: input=randn[33,65]@strided dim=1",
               "boundary: input=randn[33,17]@transposed dim=1 approximate=tanh",
               "boundary: input=randn[17,33]@offset dim=0",
               "boundary: input=randn[9,33]@expanded dim=1",
               "boundary: input=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(1000) dim=1",
               "boundary: input=randn[9,257]@shift(-2) dim=1",
               "boundary: input=randn[9,257]@shift(-2) dim=1 approximate=tanh",
               "boundary: input=randn[9,33]@poke(nan) dim=1",
               "boundary: input=randn[9,33]@poke(inf) dim=1",
               "boundary: input=randn[9,33]@poke(inf) dim=1 approximate=tanh",
               "boundary: input=randn[9,33] dim=[1] keepdim=true correction=0 approximate=tanh *",
               "boundary: * input=randn[9,33] dim=none",
           },
       .perf = {"input=randn[1023,1025] dim=1", "input=randn[1023,1025] dim=0 approximate=tanh", "input=randn[1048576]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * inputs(a)};
       }},

      {.id = "fused_gelu_min",
       .category = Category::fusion,
       .difficulty = 3,
       .schema =
           "fused_gelu_min(Tensor input, str approximate='none', int? dim=None, bool keepdim=False, *, Tensor[]? out=None) -> "
           "(Tensor values, Tensor indices)",
       .summary =
           "Gaussian error linear unit of each element, either exactly (by erf) or by the usual tanh form, then the least value: "
           "with dim the least along that dimension and an index (int64) where it is, without dim that of the whole tensor "
           "alone, as a tensor of no dimension. keepdim leaves the reduced dimension with size 1 and has no effect without dim. "
           "Of values that rounding cannot tell apart any may be chosen. A NaN counts as less than everything. The minimum of "
           "an empty tensor is an error: the function raises. `out` is not used.",
       .math = "approximate='none': g = x * (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': g = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))\n"
               "values = min over dim of g; g[.., indices, ..] = values",
       .reference = gelu_min,
       .jump = any_of_the_least,
       .published = gelu_min_published,
       .contract = {Numeric{}, Jump{}},
       .cases =
           {
               "standard: M=17..90 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input=randn[M,N] approximate=tanh dim=0",
               "standard: M=17..60 N=33..200 input=randn[M,N]",
               "standard: N=1000..4095 input=randn[5,N] dim=-1 keepdim=true",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] approximate=tanh dim=1 keepdim=true",
               "boundary: input=randn[17,33] approximate=tanh keepdim=true",
               "boundary: input=uniform(0.1,3)[33,65] dim=1",
               "boundary: input=uniform(-5,-2)[33,65] dim=1",
               "boundary: input=uniform(-5,-2)[33,65] approximate=tanh dim=1",
               "boundary: input=values(0.5,-0.5,1,-1) approximate=none",
               "boundary: input=randn[33,17]:f64 dim=1",
               "boundary: input=randn[33,17]:f16 approximate=tanh dim=1",
               "boundary: input=randn[0,5] dim=1",
               "boundary: input=randn[0] raises",
               "boundary: input=randn[5,0] dim=1 raises",
               "boundary: input=randn[1] dim=0",
               "boundary: input=randn[]",
               "boundary: input=randn[] dim=0",
               "boundary: input=randn[9,1] dim=1 keepdim=true",
               "boundary: input=randn[17,33]@strided dim=1",
               "boundary: input=randn[33,17]@transposed dim=0",
               "boundary: input=randn[9,33]@offset dim=1",
               "boundary: input=randn[9,33]@expanded dim=1",
               "boundary: input=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(1000) dim=1",
               "boundary: input=randn[9,65]@poke(nan) dim=1",
               "boundary: input=randn[9,65]@poke(nan)",
               "boundary: input=randn[9,65]@poke(inf) approximate=tanh dim=1",
               "boundary: input=full(inf)[3,17] approximate=tanh dim=1",
               "boundary: input=randn[9,33] approximate=tanh dim=-2 keepdim=true *",
               "boundary: * input=randn[9,33] dim=1",
           },
       .perf = {"input=randn[2047,1025] dim=1", "input=randn[1023,1025] approximate=tanh dim=0", "input=randn[3145728]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 17 * inputs(a)};
       },
       .deviation =
           "The published reference leaves the 1 of 1 + erf out in the exact mode, against its own formula; here it is there. "
           "The "
           "published test compares indices; here the index of any value that rounding cannot tell from the least is right. "
           "`out`, a pair of tensors, does not appear."},
  };
  return tasks;
}

}  // namespace kbx
