// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/add.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/masked_select.h>
#include <ATen/ops/repeat_interleave.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values gather_masked_fill(const Args& a) {
  const at::Tensor gathered = at::gather(a.tensor("input"), a.integer("dim"), a.tensor("index"), a.flag("sparse_grad"));
  return written(a, at::masked_fill(gathered, a.tensor("mask"), a.scalar("value")));
}

Values masked_select_add_gelu(const Args& a) {
  const at::Tensor chosen = at::masked_select(a.tensor("input"), a.tensor("mask")),
                   sum = at::add(chosen, a.tensor("other"), a.scalar("alpha"));
  if (auto out = a.maybe_tensor("out")) return {at::gelu_out(*out, sum, a.text("approximate"))};
  return {at::gelu(sum, a.text("approximate"))};
}

Values repeat_interleave_log_softmax(const Args& a) {
  const auto dim = a.maybe_integer("dim");
  const at::Tensor input = a.tensor("input"), repeats = a.tensor("repeats").to(input.device());  // a number is on the CPU
  const at::Tensor repeated = at::repeat_interleave(input, repeats, dim, a.maybe_integer("output_size"));
  const int64_t along = dim.value_or(0);
  if (auto out = a.maybe_tensor("out")) return {at::log_softmax_out(*out, repeated, along, a.maybe_dtype("dtype"))};
  return {at::log_softmax(repeated, along, a.maybe_dtype("dtype"))};
}

// Of the input at most as many elements as there are indices.
double gather_bytes(const Args& a, const Values& out) {
  const at::Tensor input = a.tensor("input");
  const auto size = static_cast<double>(input.element_size());
  return traffic(a, out) - static_cast<double>(input.numel()) * size +
         std::min(static_cast<double>(input.numel()), outputs(out)) * size;
}

}  // namespace

std::span<const Task> fused_selection_family() {
  static const Task tasks[] = {
      {.id = "fused_gather_masked_fill",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_gather_masked_fill(Tensor input, int dim, Tensor index, Tensor mask, Scalar value, *, bool "
                 "sparse_grad=False, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Gathers elements of the input along `dim`: index has as many dimensions as the input, is nowhere larger than it but "
           "in dim, and gives the result its shape. Where mask, a boolean tensor that broadcasts to this shape, is true, the "
           "result holds `value` instead, in the input's type. sparse_grad is about gradients and changes nothing here. Where "
           "`out` is given the result is written there and returned.",
       .math = "g[i, j, k] = input[index[i, j, k], j, k] for dim=0, and so on\n"
               "y[i, j, k] = value where mask[i, j, k], g[i, j, k] elsewhere",
       .reference = gather_masked_fill,
       .contract = exact(),
       .cases =
           {
               "standard: M=17..60 N=65..200 K=17..60 input=randn[M,N] dim=1 index=randint(0,N)[M,K] mask=bernoulli(0.5)[M,K] "
               "value=-1.0",
               "standard: M=33..130 N=17..60 K=33..200 input=randn[M,N] dim=0 index=randint(0,M)[K,N] mask=bernoulli(0.3)[K,N] "
               "value=0.1",
               "standard: A=3..9 B=9..33 K=17..40 input=randn[A,B,7] dim=1 index=randint(0,B)[A,K,7] mask=bernoulli(0.5)[K,1] "
               "value=2",
               "standard: N=1000..4095 input=randn[3,N] dim=-1 index=randint(0,N)[3,N] mask=bernoulli(0.1)[N] value=0",
               "boundary: input=randn[33,65] dim=1 index=randint(0,65)[9,33] mask=bernoulli(0.5)[9,33] value=-1.5 "
               "sparse_grad=true",
               "boundary: input=randn[33,65] dim=0 index=randint(0,33)[40,17] mask=bernoulli(0.5)[17] value=7",
               "boundary: input=randint(-99,99)[5,6] dim=1 index=randint(0,6)[5,9] mask=bernoulli(0.5)[5,9] value=-1.0",
               "boundary: input=randint(-99,99)[5,6]:i32 dim=0 index=randint(0,5)[7,6] mask=bernoulli(0.5)[7,6] value=99",
               "boundary: input=randn[9,17]:f16 dim=1 index=randint(0,17)[9,9] mask=bernoulli(0.5)[9,9] value=0.1",
               "boundary: input=randn[9,17]:f64 dim=1 index=randint(0,17)[9,9] mask=bernoulli(0.5)[9,9] value=0.1",
               "boundary: input=bernoulli(0.5)[9,17] dim=1 index=randint(0,17)[9,9] mask=bernoulli(0.5)[9,9] value=1",
               "boundary: input=randn[9,17] dim=1 index=randint(0,17)[9,33] mask=bernoulli(0)[9,33] value=5",
               "boundary: input=randn[9,17] dim=1 index=randint(0,17)[9,33] mask=bernoulli(1)[9,33] value=5",
               "boundary: input=randn[9,17] dim=-2 index=randint(0,9)[9,17] mask=bernoulli(0.5)[9,1] value=-1e30 out=like",
               "boundary: input=randn[257] dim=0 index=randint(0,257)[65] mask=bernoulli(0.5)[65] value=0.5",
               "boundary: input=randn[9,17] dim=1 index=randint(0,17)[9,0] mask=bernoulli(0.5)[9,0] value=1.0",
               "boundary: input=randn[0,5] dim=0 index=randint(0,1)[0,5] mask=bernoulli(0.5)[5] value=1.0",
               "boundary: input=randn[1] dim=0 index=randint(0,1)[1] mask=bernoulli(0)[1] value=1.0",
               "boundary: input=randn[] dim=0 index=randint(0,1)[] mask=bernoulli(0)[] value=1.0",
               "boundary: input=randn[17,33]@strided dim=1 index=randint(0,33)[17,9]@strided mask=bernoulli(0.5)[17,9]@strided "
               "value=1.0",
               "boundary: input=randn[33,17]@transposed dim=1 index=randint(0,17)[33,9]@transposed "
               "mask=bernoulli(0.5)[33,9]@transposed value=1.0",
               "boundary: input=randn[17,33]@offset dim=0 index=randint(0,17)[9,33]@offset mask=bernoulli(0.5)[9,33]@offset "
               "value=1.0",
               "boundary: input=randn[9,33]@expanded dim=1 index=randint(0,33)[9,17]@expanded mask=bernoulli(0.5)[9,17] "
               "value=1.0",
               "boundary: input=randn[9,33]@scale(1e-4) dim=1 index=randint(0,33)[9,17] mask=bernoulli(0.5)[9,17] value=1e-5",
               "boundary: input=randn[9,33]@shift(1000) dim=1 index=randint(0,33)[9,17] mask=bernoulli(0.5)[9,17] value=1000",
               "boundary: input=values(nan,inf,-inf,0,-0.0,1) dim=0 index=values(0,1,2,3,4,5,0,1):i64 "
               "mask=values(0,0,0,0,0,0,1,1):bool value=3.0",
               "boundary: input=randn[9,33] dim=1 index=randint(0,33)[9,17] mask=bernoulli(0.5)[9,17] value=0.25 *",
               "boundary: * input=randn[9,33] dim=1 index=randint(0,33)[9,17] mask=bernoulli(0.5)[9,17] value=0.25",
           },
       .perf = {"input=randn[1024,1025] dim=1 index=randint(0,1025)[1024,1025] mask=bernoulli(0.5)[1024,1025] value=-1.0",
                "input=randn[1024,1024] dim=0 index=randint(0,1024)[1024,1024] mask=bernoulli(0.1)[1024] value=0.0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {gather_bytes(a, out), 0};
       }},

      {.id = "fused_masked_select_add_gelu",
       .category = Category::fusion,
       .difficulty = 3,
       .schema =
           "fused_masked_select_add_gelu(Tensor input, Tensor mask, Tensor other, *, Scalar alpha=1, str approximate='none', "
           "Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Takes the elements of the input whose mask is true, as a vector in row-major order (input and mask broadcast to one "
           "shape; the length depends on the mask), adds `other` times alpha, and applies the Gaussian error linear unit, either "
           "exactly (by erf) or by the usual tanh form. `other` is a number, a tensor of one element, or a vector as long as the "
           "selection. Where `out` is given the result is written there and returned.",
       .math = "z = [input[i] for i in row-major order if mask[i]], x = z + alpha * other\n"
               "approximate='none': y = x * (1 + erf(x / sqrt(2))) / 2\n"
               "approximate='tanh': y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))",
       .reference = masked_select_add_gelu,
       .bound = [](const Args& a) -> int64_t {
         return at::broadcast_tensors({a.tensor("input"), a.tensor("mask")})[0].numel();
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] mask=bernoulli(0.5)[M,N] other=0.1 alpha=0.5 approximate=tanh",
               "standard: N=1000..4095 input=randn[N] mask=bernoulli(0.1)[N] other=1.0",
               "standard: M=17..60 N=33..90 input=randn[M,N] mask=bernoulli(0.5)[N] other=randn[1]@fixed alpha=2",
               "standard: N=33..300 input=randn[N] mask=bernoulli(1)[N] other=randn[N] alpha=-1.5",
               "boundary: input=randn[9] mask=values(1,0,1,1,0,0,1,0,1):bool other=randn[5]",
               "boundary: input=randn[3,4] mask=values(0,1,1,0):bool other=randn[6] alpha=3 approximate=tanh",
               "boundary: N=33..90 input=randn[N,33]@transposed mask=bernoulli(0.5)[N,33] other=0.5",
               "boundary: N=33..90 input=randn[3,17,N]@strided mask=bernoulli(0.9)[1,17,1] other=-0.5 approximate=tanh",
               "boundary: N=60001..65500 input=randn[N] mask=bernoulli(0.5)[N] other=0.25",
               "boundary: input=randn[33] mask=bernoulli(1)[33] other=0.5 out=like",
               "boundary: input=randn[6] mask=values(1,0,1,1,0,1):bool other=2 alpha=0.5 approximate=tanh out=like",
               "boundary: input=randn[257]:f16 mask=bernoulli(0.5)[257]@strided other=0.5 alpha=2",
               "boundary: input=randn[257]:f64 mask=bernoulli(0.5)[257] other=randn[]:f64",
               "boundary: input=randint(-3,4)[257] mask=bernoulli(0.5)[257] other=0.5",
               "boundary: input=randn[0] mask=bernoulli(0.5)[0] other=1.0",
               "boundary: input=randn[1] mask=bernoulli(1)[1] other=1.0",
               "boundary: input=randn[1] mask=bernoulli(0)[1] other=randn[1]",
               "boundary: input=randn[] mask=bernoulli(1)[] other=randn[]",
               "boundary: input=randn[] mask=bernoulli(0.5)[9] other=1",
               "boundary: input=randn[1025] mask=bernoulli(0)[1025] other=2.0",
               "boundary: input=randn[257]@offset mask=bernoulli(0.5)[257]@offset other=0.5",
               "boundary: input=randn[9,33]@expanded mask=bernoulli(0.5)[9,33] other=0.5",
               "boundary: input=randn[1025]@scale(1e-4) mask=bernoulli(0.5)[1025] other=0",
               "boundary: input=randn[1025]@scale(1e-4) mask=bernoulli(0.5)[1025] other=0 approximate=tanh",
               "boundary: input=randn[1025]@shift(1000) mask=bernoulli(0.5)[1025] other=-1000",
               "boundary: input=values(nan,inf,0,-0.0,1) mask=bernoulli(1)[5] other=1.0",
               "boundary: input=values(nan,inf,0,-0.0,1) mask=bernoulli(1)[5] other=1.0 approximate=tanh",
               "boundary: * input=randn[33] mask=bernoulli(0.5)[33] other=0.5",
               "boundary: input=randn[33] mask=bernoulli(0.5)[33] other=0.5 *",
           },
       .perf = {"input=randn[786432] mask=bernoulli(0.5)[786432] other=0.1 alpha=0.5 approximate=tanh",
                "input=randn[1048576] mask=bernoulli(0.1)[1048576] other=1.0"},
       .perf_gpu = {"input=randn[4194304] mask=bernoulli(0.5)[4194304] other=0.1 alpha=0.5 approximate=tanh",
                    "input=randn[33554432] mask=bernoulli(0.1)[33554432] other=1.0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 18 * outputs(out)};
       }},

      {.id = "fused_repeat_interleave_log_softmax",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_repeat_interleave_log_softmax(Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None, "
                 "ScalarType? dtype=None, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Repeats each slice of the input along `dim` right behind itself, then takes the logarithm of the softmax along the "
           "same dimension. repeats is a number or a tensor of one element, which holds for all slices, or a vector of integers "
           "(int64 or int32), one for each slice; zero drops a slice. Without dim the input is flattened first. output_size is "
           "the size along dim that follows from repeats, for callers who know it. With dtype the input is converted to it "
           "first. Where `out` is given the result is written there and returned.",
       .math = "z = x along dim with slice i repeated repeats[i] times; m = max over dim of z\n"
               "y = z - m - ln(sum over dim of exp(z - m))",
       .reference = repeat_interleave_log_softmax,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 N=33..130 input=randn[M,N] repeats=2 dim=1",
               "standard: M=33..90 N=17..60 input=randn[M,N] repeats=3 dim=0",
               "standard: N=65..300 input=randn[N] repeats=values(1,3,0,2)[N]:i64 dim=0",
               "standard: M=17..40 N=17..60 input=randn[M,N] repeats=2",
               "standard: N=1000..2047 input=randn[5,N] repeats=2 dim=-1",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] repeats=values(2,0,1,4)[B]:i64 dim=1",
               "boundary: input=randn[9,5] repeats=values(2,1,0,3,1):i64 dim=1 output_size=7",
               "boundary: input=randn[9,5] repeats=values(2,1,0,3,1):i32 dim=-1",
               "boundary: input=randn[9,5] repeats=values(3):i64 dim=1",
               "boundary: input=randn[9,5] repeats=2 dim=0 output_size=18",
               "boundary: input=randn[3,4] repeats=values(1,2,0,4,1,1,2,0,3,1,1,5):i64",
               "boundary: input=randn[65] repeats=randint(1,4)[65] dim=0",
               "boundary: input=randn[9,17] repeats=2 dim=1 dtype=f64",
               "boundary: input=randn[9,17]:f16 repeats=2 dim=1 dtype=f32",
               "boundary: input=randint(-5,5)[9,17] repeats=3 dim=1 dtype=f32",
               "boundary: input=randn[9,17]:f16 repeats=2 dim=1",
               "boundary: input=randn[9,17]:f64 repeats=2 dim=0",
               "boundary: input=randn[9,17] repeats=2 dim=1 out=like",
               "boundary: input=randn[9,17] repeats=2 dim=0 dtype=f64 out=like",
               "boundary: input=randn[9,17] repeats=1 dim=1",
               "boundary: input=randn[9,17] repeats=0 dim=1",
               "boundary: input=randn[0,5] repeats=2 dim=1",
               "boundary: input=randn[1] repeats=1",
               "boundary: input=randn[] repeats=3",
               "boundary: input=randn[17,33]@strided repeats=2 dim=1",
               "boundary: input=randn[33,17]@transposed repeats=2 dim=1",
               "boundary: input=randn[33,17]@transposed repeats=2",
               "boundary: input=randn[17,33]@offset repeats=values(1,2,3)[33]:i64@offset dim=1",
               "boundary: input=randn[9,33]@expanded repeats=2 dim=1",
               "boundary: input=randn[9,65]@scale(1e-4) repeats=2 dim=1",
               "boundary: input=randn[9,65]@shift(1000) repeats=2 dim=1",
               "boundary: input=randn[9,65]@scale(100) repeats=3 dim=1",
               "boundary: input=randn[5,9]@poke(nan) repeats=2 dim=1",
               "boundary: input=values(1,-inf,2,inf,0,1)[2,3] repeats=2 dim=1",
               "boundary: input=randn[9,7] repeats=2 dim=1 *",
               "boundary: * input=randn[9,7] repeats=2 dim=1",
           },
       .perf = {"input=randn[1023,1025] repeats=2 dim=1", "input=randn[512,1025] repeats=3 dim=0"},
       .perf_gpu = {"input=randn[4096,4097] repeats=2 dim=1", "input=randn[2048,2049] repeats=3 dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * static_cast<double>(a.tensor("input").numel()) + outputs(out)};
       },
       .deviation =
           "The published reference ignores `out`, and without dim leaves the softmax's dimension to a rule of its library that "
           "is on its way out. Here `out` is written, and the softmax goes along the flattened dimension."},
  };
  return tasks;
}

}  // namespace kbx
