// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/tensordot.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> contraction_family() {
  static const Task tasks[] = {
      {.id = "tensordot_rsqrt",
       .category = Category::matrix_multiply,
       .difficulty = 4,
       .schema = "tensordot_rsqrt(Tensor a, Tensor b, int[] dims_self, int[] dims_other) -> Tensor",
       .summary =
           "Contracts two tensors, then takes one over the square root of each element. Dimension dims_self[k] of a is summed "
           "against dimension dims_other[k] of b, for all k together; the two have the same size. Negative dimensions count "
           "from the end. The result has the other dimensions of a in their order, then those of b; with empty lists it is the "
           "outer product, with all dimensions contracted a 0-dim tensor. A negative sum gives NaN, a sum of zero infinity.",
       .math = "y[i..., j...] = 1 / sqrt(sum over k... of a[i, k] * b[k, j])",
       .reference = [](const Args& a) -> Values {
         return {at::tensordot(a.tensor("a"), a.tensor("b"), a.ints("dims_self"), a.ints("dims_other")).rsqrt()};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 K=33..130 N=17..60 a=uniform(0.1,2)[M,K] b=uniform(0.1,2)[K,N] dims_self=[1] dims_other=[0]",
               "standard: M=5..9 K=9..17 N=5..9 a=uniform(0.1,2)[M,7,K] b=uniform(0.1,2)[K,7,N] dims_self=[2,1] "
               "dims_other=[0,1]",
               "standard: K=1000..4095 a=uniform(0.1,2)[5,K] b=uniform(0.1,2)[K,3] dims_self=[-1] dims_other=[0]",
               "standard: K=5..17 a=uniform(0.1,2)[3,K,5] b=uniform(0.1,2)[7,K] dims_self=[1] dims_other=[1]",
               "boundary: K=17..60 a=uniform(0.1,2)[K,9]@transposed b=uniform(0.1,2)[7,K]@strided dims_self=[0] dims_other=[1]",
               "boundary: a=uniform(0.1,2)[5,3,7] b=uniform(0.1,2)[7,5,2] dims_self=[0,-1] dims_other=[1,0]",
               "boundary: a=uniform(0.1,2)[5,3,7] b=uniform(0.1,2)[3,7,5] dims_self=[0,1,2] dims_other=[2,0,1]",
               "boundary: a=uniform(0.1,2)[4,4,4] b=uniform(0.1,2)[4,4,4] dims_self=[0,2] dims_other=[2,1]",
               "boundary: a=uniform(0.1,2)[9] b=uniform(0.1,2)[7] dims_self=[] dims_other=[]",
               "boundary: a=uniform(0.1,2)[33] b=uniform(0.1,2)[33] dims_self=[0] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[2,3,4,5] b=uniform(0.1,2)[5,4,3] dims_self=[3,2] dims_other=[0,1]",
               "boundary: a=values(1,2,-1,0,0,0)[3,2] b=values(3,1,2,4,1,2)[2,3] dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[5,0] b=uniform(0.1,2)[0,3] dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[0,5] b=uniform(0.1,2)[5,3] dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[1,1] b=uniform(0.1,2)[1,1] dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[] b=uniform(0.1,2)[] dims_self=[] dims_other=[]",
               "boundary: a=uniform(0.1,2)[9,33]@offset b=uniform(0.1,2)[33,7]@offset dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[9,33]@expanded b=uniform(0.1,2)[33,7] dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[9,33]@scale(1e-4) b=uniform(0.1,2)[33,7]@scale(1e-4) dims_self=[1] dims_other=[0]",
               "boundary: a=randn[9,33]@shift(1000) b=randn[33,7]@shift(1000) dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[9,33]@poke(nan,inf) b=uniform(0.1,2)[33,7] dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[9,33]:f64 b=uniform(0.1,2)[33,7]:f64 dims_self=[1] dims_other=[0]",
               "boundary: a=uniform(0.1,2)[9,33] b=uniform(0.1,2)[33,7] dims_self=[1] dims_other=[0] *",
               "boundary: * a=uniform(0.1,2)[9,33] b=uniform(0.1,2)[33,7] dims_self=[1] dims_other=[0]",
           },
       .perf = {"a=uniform[768,640] b=uniform[640,768] dims_self=[1] dims_other=[0]",
                "a=uniform[63,129,96] b=uniform[96,63,257] dims_self=[0,2] dims_other=[1,0]"},
       .perf_gpu = {"a=uniform[2048,2048] b=uniform[2048,2048] dims_self=[1] dims_other=[0]",
                    "a=uniform[63,1025,96] b=uniform[96,63,1023] dims_self=[0,2] dims_other=[1,0]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor left = a.tensor("a");
         double contracted = 1;
         for (int64_t dim : a.ints("dims_self")) contracted *= static_cast<double>(left.size(dim));
         return {traffic(a, out), outputs(out) * (2 * contracted + 4), Unit::matrix};
       },
       .deviation = "The published argument `dims` is an integer or a pair of lists. Here it is always the two lists, as two "
                    "arguments; the integer d means the last d dimensions of a and the first d of b. Sums whose sign rounding "
                    "decides are not tested."},
  };
  return tasks;
}

}  // namespace kbx
