// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/exp.h>
#include <ATen/ops/tile.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values exponential(const Args& a, const at::Tensor& x) {
  if (auto out = a.maybe_tensor("out")) return {at::exp_out(*out, x)};
  return {at::exp(x)};
}

// The published reference puts dims in front of the input's sizes and repeats the whole input.
Values tile_exp_published(const Args& a) {
  const at::Tensor input = a.tensor("input");
  std::vector<int64_t> sizes = a.ints("dims");
  sizes.insert(sizes.end(), input.sizes().begin(), input.sizes().end());
  return exponential(a, input.expand(sizes));
}

}  // namespace

std::span<const Task> fused_tile_family() {
  static const Task tasks[] = {
      {.id = "fused_tile_exp",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_tile_exp(Tensor input, int[] dims, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Repeats the input as a block, dims[d] times along each dimension d, and takes the exponential of each element. Where "
           "dims is shorter than the input's sizes, ones stand before it; where it is longer, the input gets leading dimensions "
           "of size 1. A repeat of 0 makes an empty result. Where `out` is given the result is written there and returned.",
       .math = "y[i0, i1, ...] = exp(input[i0 mod n0, i1 mod n1, ...]), y of size dims[d] * n_d in dimension d",
       .reference = [](const Args& a) -> Values { return exponential(a, at::tile(a.tensor("input"), a.ints("dims"))); },
       .published = tile_exp_published,
       .contract = numeric(),
       .cases =
           {
               "standard: N=65..300 input=randn[N] dims=[3]",
               "standard: M=17..40 N=17..60 input=randn[M,N] dims=[2,3]",
               "standard: M=17..40 N=17..60 input=randn[M,N] dims=[4]",
               "standard: M=9..17 N=17..40 input=randn[M,N] dims=[2,1,3]",
               "standard: N=1000..4095 input=randn[3,N] dims=[2,1]",
               "boundary: A=3..9 B=5..13 input=randn[A,B,7] dims=[3,2]",
               "boundary: A=3..9 B=5..13 input=randn[A,B,7] dims=[2,3,2]",
               "boundary: input=randn[17,33]@transposed dims=[2,2]",
               "boundary: input=randn[17,33]@strided dims=[1,3]",
               "boundary: input=randn[9,33]@expanded dims=[2,2]",
               "boundary: input=randn[257]@offset dims=[2]",
               "boundary: input=randn[17,33] dims=[2,3] out=like",
               "boundary: input=randn[33] dims=[1]",
               "boundary: input=randn[33] dims=[]",
               "boundary: input=randn[7,5] dims=[3,0]",
               "boundary: input=randn[0] dims=[4]",
               "boundary: input=randn[1] dims=[65]",
               "boundary: input=randn[] dims=[5]",
               "boundary: input=randn[] dims=[]",
               "boundary: input=randn[65]:f16 dims=[3]",
               "boundary: input=randn[65]:f64 dims=[3]",
               "boundary: input=randint(-5,5)[33] dims=[2]",
               "boundary: input=randn[513]@scale(1e-4) dims=[2]",
               "boundary: input=randn[257]@scale(20) dims=[2]",
               "boundary: input=randn[257]@shift(-80) dims=[2]",
               "boundary: input=values(nan,inf,-inf,0,-0.0,100,-200) dims=[2]",
               "boundary: input=randn[9,7] dims=[2,2] *",
               "boundary: * input=randn[9,7] dims=[3,1]",
           },
       .perf = {"input=randn[1048576] dims=[2]", "input=randn[512,1025] dims=[3,2]", "input=randn[1024,1025] dims=[3]"},
       .perf_gpu = {"input=randn[16777216] dims=[2]", "input=randn[1024,2049] dims=[3,2]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * static_cast<double>(a.tensor("input").numel())};
       },
       .deviation =
           "The published reference puts dims before the input's sizes and repeats the whole input there, so that (3) with dims "
           "(2) becomes (2, 3), where its text and formula say tile. Here the result is the tiled one, of size (6)."},
  };
  return tasks;
}

}  // namespace kbx
