// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/sum.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values sum(const Args& a) {
  const auto dims = a.maybe_ints("dim");
  at::OptionalIntArrayRef dim;
  if (dims) dim = at::IntArrayRef(*dims);
  return {at::sum(a.tensor("input"), dim, a.flag("keepdim"), a.maybe_dtype("dtype"))};
}

}  // namespace

std::span<const Task> sum_family() {
  static const Task tasks[] = {
      {.id = "sum",
       .category = Category::reduce,
       .difficulty = 2,
       .schema = "sum(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       .summary =
           "Sum over one dimension, several, or all of them (dim=None). keepdim keeps the reduced dimensions with size 1. dtype "
           "converts the elements first; without it integers and booleans add up in int64, floating numbers in their own type. "
           "The sum of nothing is 0.",
       .math = "y = sum of the elements along dim",
       .reference = sum,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 N=65..300 input=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input=randn[M,N] dim=0 keepdim=true",
               "standard: N=1000..4095 input=randn[5,N] dim=-1",
               "standard: A=3..9 B=5..17 C=7..33 input=randn[A,B,C] dim=[0,2]",
               "standard: A=3..9 B=17..33 C=33..65 input=randn[A,B,C] dim=[1,2]",
               "standard: M=17..40 N=33..200 input=randn[M,N] dim=none",
               "boundary: N=33..200 input=randn[17,N]@strided dim=1 keepdim=true",
               "boundary: N=60001..65500 input=randn[N] dim=0",
               "boundary: input=randint(-1000,1000)[33,65] dim=0",
               "boundary: input=randint(-1000000,1000000)[33,65]:i32@scale(1000) dim=1",
               "boundary: input=randint(-100,100)[33,300]:i8 dim=1 keepdim=true",
               "boundary: input=bernoulli(0.5)[33,300] dim=1",
               "boundary: input=randint(-100,100)[33,17]:i32 dim=0 dtype=f32",
               "boundary: input=randn[17,65] dim=1 dtype=f64",
               "boundary: input=randn[17,65]:f16 dim=1 dtype=f32",
               "boundary: input=randn[17,65]:f16 dim=1",
               "boundary: input=randn[17,65]@transposed dim=0",
               "boundary: input=randn[3,5,7] dim=[-1,0] keepdim=true",
               "boundary: input=randn[3,5,7] dim=none keepdim=true",
               "boundary: input=randn[0,5] dim=0",
               "boundary: input=randn[5,0] dim=0",
               "boundary: input=randn[0] dim=none",
               "boundary: input=randn[1] dim=0",
               "boundary: input=randn[] dim=0",
               "boundary: input=randn[17,65]@offset dim=1",
               "boundary: input=randn[7,33]@expanded dim=0",
               "boundary: input=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input=randn[9,257]@shift(1000) dim=1",
               "boundary: input=randn[9,65]@poke(nan) dim=1",
               "boundary: input=randn[9,65]@poke(inf) dim=1",
               "boundary: * input=randn[9,33] dim=0",
               "boundary: input=randn[9,33] dim=1 keepdim=true *",
           },
       .perf = {"input=randn[4095,3073] dim=1", "input=randn[3071,3073] dim=0", "input=randn[64,385,513] dim=[1,2]"},
       .perf_gpu = {"input=randn[8191,8193] dim=1", "input=randn[4096,4097] dim=0", "input=randn[64,257,1025] dim=[1,2]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input").numel())};
       }},
  };
  return tasks;
}

}  // namespace kbx
