// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/softmax.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> softmax_family() {
  static const Task tasks[] = {
      {.id = "softmax",
       .category = Category::math,
       .difficulty = 4,
       .schema = "softmax(Tensor input, int dim, *, ScalarType? dtype=None) -> Tensor",
       .summary =
           "Exponentials of the elements, divided by their sum along `dim`, which may be negative. Large elements must not "
           "overflow: take the largest of the slice off first. Where `dtype` is given the input is converted to it before "
           "anything is computed, and the result has it.",
       .math = "y_i = exp(x_i - m) / sum_j exp(x_j - m), m = max_j x_j, j along dim",
       .reference = [](const Args& a) -> Values {
         return {at::softmax(a.tensor("input"), a.integer("dim"), a.maybe_dtype("dtype"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] dim=1",
               "standard: M=17..70 N=65..300 input=randn[M,N] dim=0",
               "standard: N=1000..4095 input=randn[3,N] dim=-1",
               "standard: A=3..9 B=17..40 C=17..60 input=randn[A,B,C] dim=1",
               "standard: M=17..40 N=65..200 input=randn[M,N] dim=1 dtype=f64",
               "boundary: N=33..90 input=randn[33,N]@transposed dim=1",
               "boundary: N=65..200 input=randn[33,N]@strided dim=-1",
               "boundary: A=3..6 input=randn[A,5,7,11] dim=-3",
               "boundary: input=randn[5,4096] dim=1",
               "boundary: input=randn[4096,5] dim=-2",
               "boundary: N=5001..9000 input=randn[N] dim=0",
               "boundary: input=randn[0] dim=0",
               "boundary: input=randn[3,0] dim=1",
               "boundary: input=randn[0,3] dim=1",
               "boundary: input=randn[1] dim=0",
               "boundary: input=randn[] dim=0",
               "boundary: input=randn[33,1] dim=1",
               "boundary: input=randn[9,65]@offset dim=1",
               "boundary: input=randn[9,65]@expanded dim=1",
               "boundary: input=randn[33,65]@scale(1e-4) dim=1",
               "boundary: input=randn[33,65]@shift(1000) dim=1",
               "boundary: input=randn[33,65]@shift(-1000) dim=0",
               "boundary: input=randn[33,65]@scale(30) dim=1",
               "boundary: input=full(3)[7,33] dim=1",
               "boundary: input=randn[5,33]@poke(-inf,-inf) dim=1",
               "boundary: input=values(-inf,-inf,-inf,1,2,-inf,nan,1,2,inf,1,2)[4,3] dim=1",
               "boundary: input=randint(-9,9)[33,17] dim=1 dtype=f32",
               "boundary: input=randn[17,65]:f16 dim=1",
               "boundary: input=randn[17,65]:bf16 dim=-1",
               "boundary: input=randn[17,65]:f16 dim=1 dtype=f32",
               "boundary: input=randn[17,65] dim=0 dtype=bf16",
               "boundary: input=randn[17,65]:f64 dim=0",
               "boundary: * input=randn[33,7] dim=0",
               "boundary: input=randn[33,7] dim=1 *",
           },
       .perf = {"input=randn[4096,512] dim=1", "input=randn[1023,4097] dim=-1", "input=randn[2049,1024] dim=0"},
       .perf_gpu = {"input=randn[8192,4097] dim=-1", "input=randn[4097,1024] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 12 * outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
