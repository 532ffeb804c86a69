// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/masked_select.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> masking_family() {
  static const Task tasks[] = {
      {.id = "masked_select",
       .category = Category::index,
       .difficulty = 4,
       .schema = "masked_select(Tensor input, Tensor mask) -> Tensor",
       .summary = "The elements of input whose mask is true, as a vector in row-major order. Input and mask broadcast to one "
                  "shape; the length of the result depends on the mask.",
       .math = "y = [input[i] for i in row-major order if mask[i]]",
       .reference = [](const Args& a) -> Values { return {at::masked_select(a.tensor("input"), a.tensor("mask"))}; },
       .bound = [](const Args& a) -> int64_t {
         return at::broadcast_tensors({a.tensor("input"), a.tensor("mask")})[0].numel();
       },
       .contract = exact(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] mask=bernoulli(0.5)[M,N]",
               "standard: N=1000..4095 input=randn[N] mask=bernoulli(0.1)[N]",
               "standard: M=17..60 N=33..90 input=randn[M,N] mask=bernoulli(0.5)[N]",
               "boundary: M=17..60 N=33..90 input=randn[M,N]@transposed mask=bernoulli(0.5)[M,N]",
               "boundary: N=33..90 input=randn[3,17,N]@strided mask=bernoulli(0.9)[1,17,1]",
               "boundary: N=60001..65500 input=randn[N] mask=bernoulli(0.5)[N]",
               "boundary: input=randint(-1000,1000)[257] mask=bernoulli(0.5)[257]",
               "boundary: input=randn[257]:f16 mask=bernoulli(0.5)[257]@strided",
               "boundary: input=randn[0] mask=bernoulli(0.5)[0]",
               "boundary: input=randn[1] mask=bernoulli(1)[1]",
               "boundary: input=randn[1] mask=bernoulli(0)[1]",
               "boundary: input=randn[] mask=bernoulli(1)[]",
               "boundary: input=randn[] mask=bernoulli(0.5)[9]",
               "boundary: input=randn[1025] mask=bernoulli(0)[1025]",
               "boundary: input=randn[1025] mask=bernoulli(1)[1025]",
               "boundary: input=randn[257]@offset mask=bernoulli(0.5)[257]@offset",
               "boundary: input=randn[9,33]@expanded mask=bernoulli(0.5)[9,33]",
               "boundary: input=values(nan,inf,-inf,0,-0.0,1) mask=bernoulli(1)[6]",
               "boundary: * input=randn[33] mask=bernoulli(0.5)[33]",
           },
       .perf = {"input=randn[1048576] mask=bernoulli(0.5)[1048576]", "input=randn[1023,1025] mask=bernoulli(0.1)[1023,1025]"},
       .perf_gpu = {"input=randn[4194304] mask=bernoulli(0.5)[4194304]", "input=randn[33554432] mask=bernoulli(0.1)[33554432]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 0};
       }},
  };
  return tasks;
}

}  // namespace kbx
