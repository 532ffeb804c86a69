// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/mean.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values mean(const Args& a) {
  at::Tensor input = a.tensor("input_tensor");
  auto dims = a.maybe_ints("dim");
  at::OptionalIntArrayRef dim;
  if (dims) dim = at::IntArrayRef(*dims);
  if (auto out = a.maybe_tensor("out")) return {at::mean_out(*out, input, dim, a.flag("keepdim"), a.maybe_dtype("dtype"))};
  return {at::mean(input, dim, a.flag("keepdim"), a.maybe_dtype("dtype"))};
}

}  // namespace

std::span<const Task> mean_family() {
  static const Task tasks[] = {
      {.id = "mean",
       .category = Category::reduce,
       .difficulty = 1,
       .schema = "mean(Tensor input_tensor, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!)? out=None) -> "
                 "Tensor",
       .summary =
           "Mean over one dimension, several, or all of them (dim=None). keepdim keeps the reduced dimensions with size 1; dtype "
           "converts the input first. The mean of nothing is NaN.",
       .math = "y = (sum of the elements along dim) / (their number)",
       .reference = mean,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 N=65..300 input_tensor=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input_tensor=randn[M,N] dim=0 keepdim=true",
               "standard: N=1000..4095 input_tensor=randn[5,N] dim=-1",
               "standard: A=3..9 B=5..17 C=7..33 input_tensor=randn[A,B,C] dim=[0,2]",
               "standard: M=17..40 N=33..200 input_tensor=randn[M,N] dim=none",
               "boundary: N=33..200 input_tensor=randn[17,N]@strided dim=1 keepdim=true",
               "boundary: input_tensor=randint(-100,100)[33,17]:i32 dim=0 dtype=f32",
               "boundary: input_tensor=randn[17,65]:f16 dim=1 dtype=f32",
               "boundary: input_tensor=randn[17,65] dim=0 dtype=f64",
               "boundary: input_tensor=randn[17,65]@transposed dim=0 out=like",
               "boundary: input_tensor=randn[0,5] dim=0",
               "boundary: input_tensor=randn[5,0] dim=0",
               "boundary: input_tensor=randn[1] dim=0",
               "boundary: input_tensor=randn[1,1] dim=[0,1] keepdim=true",
               "boundary: input_tensor=randn[] dim=0",
               "boundary: input_tensor=randn[17,65]@offset dim=1",
               "boundary: input_tensor=randn[7,33]@expanded dim=0",
               "boundary: input_tensor=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input_tensor=randn[9,257]@shift(1000) dim=1",
               "boundary: input_tensor=randn[9,65]@poke(nan) dim=1",
               "boundary: input_tensor=randn[9,65]@poke(inf) dim=1",
               "boundary: input_tensor=randn[9,33] dim=1 keepdim=true *",
               "boundary: * input_tensor=randn[9,33] dim=0",
           },
       .perf = {"input_tensor=randn[4095,3073] dim=1", "input_tensor=randn[3071,3073] dim=0"},
       .perf_gpu = {"input_tensor=randn[8191,8193] dim=1", "input_tensor=randn[4096,4097] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input_tensor").numel())};
       }},
  };
  return tasks;
}

}  // namespace kbx
