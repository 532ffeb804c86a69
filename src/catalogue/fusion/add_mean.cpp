// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/add.h>
#include <ATen/ops/mean.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values add_mean(const Args& a) {
  at::Tensor sum = at::add(a.tensor("input"), a.tensor("other"), a.scalar("alpha"));
  auto dims = a.maybe_ints("dim");
  at::OptionalIntArrayRef dim;
  if (dims) dim = at::IntArrayRef(*dims);
  if (auto out = a.maybe_tensor("out")) return {at::mean_out(*out, sum, dim, a.flag("keepdim"), a.maybe_dtype("dtype"))};
  return {at::mean(sum, dim, a.flag("keepdim"), a.maybe_dtype("dtype"))};
}

}  // namespace

std::span<const Task> add_mean_family() {
  static const Task tasks[] = {
      {.id = "fused_add_mean",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_add_mean(Tensor input, Tensor other, int[1]? dim=None, Scalar alpha=1, bool keepdim=False, *, "
                 "ScalarType? dtype=None, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Adds `other` (a tensor, which broadcasts, or a number) times alpha, then takes the mean over the dimensions in "
           "dim, or over all of them. dtype is the type of the mean; integer inputs need it. Where `out` is given the "
           "result is written there and returned.",
       .math = "y = mean(input + alpha * other, dim)",
       .reference = add_mean,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 N=65..300 input=randn[M,N] other=randn[M,N] dim=1",
               "standard: M=65..300 N=17..60 input=randn[M,N] other=randn[N] dim=0 keepdim=true",
               "standard: M=17..40 N=33..200 input=randn[M,N] other=randn[M,N] alpha=0.5 keepdim=true",
               "boundary: N=33..200 input=randn[17,N]@strided other=0.5 dim=-1 alpha=2",
               "boundary: A=3..9 C=7..33 input=randn[A,5,C] other=randn[A,5,C]@transposed dim=[0,2] alpha=-1",
               "boundary: input=randn[257] other=randn[257]",
               "boundary: input=randint(-100,100)[17,33]:i32 other=randint(-100,100)[17,33]:i32 dim=1 dtype=f32",
               "boundary: input=randint(-100,100)[65] other=3 alpha=2 dtype=f32",
               "boundary: input=randn[17,65] other=randn[17,65] dim=1 dtype=bf16",
               "boundary: input=randn[17,33] other=randn[17,33] dim=1 out=like",
               "boundary: input=randn[0,5] other=randn[5] dim=0",
               "boundary: input=randn[0] other=1.0",
               "boundary: input=randn[1] other=randn[1]",
               "boundary: input=randn[] other=randn[]",
               "boundary: input=randn[17,33]@offset other=randn[17,33] dim=0",
               "boundary: input=randn[7,1] other=randn[1,33] dim=0",
               "boundary: input=randn[9,257]@scale(1e-4) other=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(1000) other=randn[9,257]@shift(-1000) dim=1",
               "boundary: input=randn[9,33]@poke(nan) other=randn[9,33] dim=1",
               "boundary: input=randn[9,33] other=randn[9,33] dim=none alpha=2 keepdim=true *",
           },
       .perf = {"input=randn[2559,2049] other=randn[2559,2049] dim=1",
                "input=randn[3071,2049] other=randn[2049] dim=0 alpha=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 3 * static_cast<double>(a.tensor("input").numel())};
       },
       .deviation =
           "The published reference ignores `out`; here it is written. Integer inputs appear only with dtype, and complex "
           "ones not at all: the mean of integers without a dtype is an error."},
  };
  return tasks;
}

}  // namespace kbx
