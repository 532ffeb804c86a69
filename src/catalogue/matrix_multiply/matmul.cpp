// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/matmul.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> matmul_family() {
  static const Task tasks[] = {
      {.id = "matmul",
       .category = Category::matrix_multiply,
       .difficulty = 4,
       .schema = "matmul(Tensor tensor1, Tensor tensor2) -> Tensor",
       .summary =
           "Matrix product. Two vectors give their dot product (a 0-dim tensor), a vector is a row on the left and a column on "
           "the right, and leading dimensions of higher ranks are batches that broadcast. float32 means float32: products of "
           "inputs cut to TF32 are not accepted.",
       .math = "y[..., i, j] = sum over k of tensor1[..., i, k] * tensor2[..., k, j]",
       .reference = [](const Args& a) -> Values { return {at::matmul(a.tensor("tensor1"), a.tensor("tensor2"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 K=33..90 N=17..90 tensor1=randn[M,K] tensor2=randn[K,N]",
               "standard: K=17..60 tensor1=randn[3,19,K] tensor2=randn[3,K,21]",
               "standard: M=17..60 K=65..200 tensor1=randn[M,K] tensor2=randn[K]",
               "standard: K=1000..4095 tensor1=randn[5,K] tensor2=randn[K,7]",
               "boundary: M=17..40 K=65..200 N=17..40 tensor1=randn[M,K]@transposed tensor2=randn[K,N]",
               "boundary: tensor1=randn[513] tensor2=randn[513]",
               "boundary: tensor1=randn[33] tensor2=randn[33]",
               "boundary: tensor1=randn[33] tensor2=randn[33,17]",
               "boundary: tensor1=randn[0,5] tensor2=randn[5,3]",
               "boundary: tensor1=randn[5,0] tensor2=randn[0,3]",
               "boundary: tensor1=randn[1,1] tensor2=randn[1,1]",
               "boundary: tensor1=randn[33,17]@offset tensor2=randn[17,19]@offset",
               "boundary: tensor1=randn[9,33]@strided tensor2=randn[33,9]@transposed",
               "boundary: tensor1=randn[1,9,17] tensor2=randn[3,17,5]",
               "boundary: tensor1=randn[3,9,17] tensor2=randn[17,5]",
               "boundary: tensor1=randn[9,17] tensor2=randn[3,17,5]",
               "boundary: tensor1=randn[33,65]@scale(1e-4) tensor2=randn[65,17]@scale(1e-4)",
               "boundary: tensor1=randn[17,33]@shift(100) tensor2=randn[33,17]",
               "boundary: tensor1=randn[17,33]@poke(nan) tensor2=randn[33,17]",
               "boundary: tensor1=randn[17,33]@poke(inf) tensor2=randn[33,17]",
               "boundary: * tensor1=randn[17,33] tensor2=randn[33,17]",
           },
       .perf = {"tensor1=randn[768,512] tensor2=randn[512,768]", "tensor1=randn[1021,767] tensor2=randn[767,641]"},
       .perf_gpu = {"tensor1=randn[2047,1025] tensor2=randn[1025,2049]", "tensor1=randn[4096,2048] tensor2=randn[2048,4096]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * outputs(out) * static_cast<double>(a.tensor("tensor1").size(-1)), Unit::matrix};
       }},
  };
  return tasks;
}

}  // namespace kbx
