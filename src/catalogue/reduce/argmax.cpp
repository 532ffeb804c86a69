// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/argmax.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> argmax_family() {
  static const Task tasks[] = {
      {.id = "argmax",
       .category = Category::reduce,
       .difficulty = 3,
       .schema = "argmax(Tensor input_tensor, int? dim, bool keepdim=False) -> Tensor",
       .summary =
           "Where the largest element along a dimension is, as int64; with dim=None, where in the flattened input (row-major), "
           "as "
           "one number. Any index of an equal element will do. A NaN counts as larger than everything. keepdim keeps the reduced "
           "dimension, without dim all of them, with size 1.",
       .math = "x[.., y, ..] = max over dim of x",
       .reference = [](const Args& a) -> Values {
         return {at::argmax(a.tensor("input_tensor"), a.maybe_integer("dim"), a.flag("keepdim"))};
       },
       .contract = {Indices{.input = "input_tensor", .dim = "dim"}},
       .cases =
           {
               "standard: M=17..90 N=65..300 input_tensor=randn[M,N] dim=1",
               "standard: M=65..300 N=17..90 input_tensor=randn[M,N] dim=0",
               "standard: N=1000..4095 input_tensor=randn[5,N] dim=-1 keepdim=true",
               "standard: A=3..9 B=5..17 C=7..33 input_tensor=randn[A,B,C] dim=1 keepdim=true",
               "standard: M=17..90 N=65..300 input_tensor=randn[M,N] dim=none",
               "boundary: N=33..200 input_tensor=randn[17,N]@strided dim=1",
               "boundary: N=33..90 input_tensor=randn[N,17]@transposed dim=0",
               "boundary: N=33..90 input_tensor=randn[N,17]@transposed dim=none",
               "boundary: N=60001..65500 input_tensor=randn[N] dim=0",
               "boundary: input_tensor=randint(0,5)[33,65] dim=1",
               "boundary: input_tensor=randint(0,3)[33,65]:f32 dim=0",
               "boundary: input_tensor=randint(-1000,1000)[257]:i32 dim=0",
               "boundary: input_tensor=randint(0,9)[65]@shift(1e9) dim=0",
               "boundary: input_tensor=randn[33,65]:f16 dim=1",
               "boundary: input_tensor=full(3)[9,17] dim=1",
               "boundary: input_tensor=randn[3,5,7] dim=none keepdim=true",
               "boundary: input_tensor=randn[5,0,3] dim=0",
               "boundary: input_tensor=randn[1] dim=0",
               "boundary: input_tensor=randn[] dim=none",
               "boundary: input_tensor=randn[9,1] dim=1",
               "boundary: input_tensor=randn[9,33]@offset dim=1",
               "boundary: input_tensor=randn[9,33]@expanded dim=0",
               "boundary: input_tensor=randn[9,257]@scale(1e-4) dim=1",
               "boundary: input_tensor=randn[9,257]@shift(1000) dim=1",
               "boundary: input_tensor=randn[9,33]@shift(-1000) dim=1",
               "boundary: input_tensor=randn[9,65]@poke(nan) dim=1",
               "boundary: input_tensor=randn[9,65]@poke(nan,inf) dim=none",
               "boundary: input_tensor=full(-inf)[3,17] dim=1",
               "boundary: input_tensor=randn[9,65]@poke(-inf,inf) dim=1",
               "boundary: input_tensor=randn[9,33] dim=-2 keepdim=true *",
               "boundary: * input_tensor=randn[9,33] dim=1",
           },
       .perf = {"input_tensor=randn[1023,2049] dim=1", "input_tensor=randn[1535,1025] dim=0",
                "input_tensor=randn[786432]:f16 dim=none"},
       .perf_gpu = {"input_tensor=randn[8191,8193] dim=1", "input_tensor=randn[4096,4097] dim=0",
                    "input_tensor=randn[33554432]:f16 dim=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), static_cast<double>(a.tensor("input_tensor").numel())};
       },
       .deviation = "The published test compares indices, so that of equal elements only one is right; here any of them is."},
  };
  return tasks;
}

}  // namespace kbx
