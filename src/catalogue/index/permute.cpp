// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/permute_copy.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> permute_family() {
  static const Task tasks[] = {
      {.id = "permute_copy",
       .category = Category::index,
       .difficulty = 4,
       .schema = "permute_copy(Tensor input, int[] dims) -> Tensor",
       .summary =
           "The input with its dimensions in another order: dimension i of the result is dimension dims[i] of the input, which "
           "may count from the end. The result has memory of its own, in whatever strides; it must not be a view of the input.",
       .math = "y[i_0, .., i_n] = x[j], j_(dims[k]) = i_k",
       .reference = [](const Args& a) -> Values { return {at::permute_copy(a.tensor("input"), a.ints("dims"))}; },
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] dims=[1,0]",
               "standard: A=5..11 B=17..33 C=33..90 input=randn[A,B,C] dims=[2,0,1]",
               "standard: A=3..5 B=5..9 C=9..17 D=17..33 input=randn[A,B,C,D] dims=[3,0,2,1]",
               "standard: N=1000..4095 input=randn[N,3] dims=[1,0]",
               "boundary: A=5..11 B=17..33 input=randn[A,B,19] dims=[0,2,1]",
               "boundary: A=5..11 B=17..33 input=randn[A,B,19] dims=[1,0,2]",
               "boundary: input=randn[7,5,9] dims=[0,1,2]",
               "boundary: input=randn[7,5,9] dims=[-1,0,-2]",
               "boundary: input=randn[2,3,4,5,6] dims=[4,2,0,3,1]",
               "boundary: input=randint(-1000,1000)[7,33] dims=[1,0]",
               "boundary: input=randint(-100,100)[7,33]:i8 dims=[1,0]",
               "boundary: input=randn[7,33]:f16 dims=[1,0]",
               "boundary: input=bernoulli(0.5)[7,33] dims=[1,0]",
               "boundary: input=randn[17,33]@transposed dims=[1,0]",
               "boundary: input=randn[3,17,33]@strided dims=[2,1,0]",
               "boundary: input=randn[17,33]@offset dims=[1,0]",
               "boundary: input=randn[9,33]@expanded dims=[1,0]",
               "boundary: input=randn[33] dims=[0]",
               "boundary: input=randn[] dims=[]",
               "boundary: input=randn[0,3] dims=[1,0]",
               "boundary: input=randn[1,1] dims=[1,0]",
               "boundary: input=values(nan,inf,-inf,-0.0,1,2)[2,3] dims=[1,0]",
               "boundary: * input=randn[7,5,9] dims=[2,1,0]",
               "boundary: input=randn[7,5,9] dims=[1,2,0] *",
           },
       .perf = {"input=randn[1536,1535] dims=[1,0]", "input=randn[33,32,31,32] dims=[3,2,1,0]",
                "input=randn[32,129,513] dims=[2,0,1]"},
       .perf_gpu = {"input=randn[8192,4097] dims=[1,0]", "input=randn[65,64,63,64] dims=[3,2,1,0]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 0};
       },
       .deviation = "The published timed cases give no dims; here they do."},
  };
  return tasks;
}

}  // namespace kbx
