// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/addmm.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values addmm(const Args& a) {
  const at::Tensor input = a.tensor("input"), mat1 = a.tensor("mat1"), mat2 = a.tensor("mat2");
  const at::Scalar beta = a.scalar("beta"), alpha = a.scalar("alpha");
  auto out = a.maybe_tensor("out");
  return {out ? at::addmm_out(*out, input, mat1, mat2, beta, alpha) : at::addmm(input, mat1, mat2, beta, alpha)};
}

}  // namespace

std::span<const Task> affine_product_family() {
  static const Task tasks[] = {
      {.id = "addmm",
       .category = Category::matrix_multiply,
       .difficulty = 4,
       .schema =
           "addmm(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Product of the matrices mat1 [n, m] and mat2 [m, p], times alpha, plus beta times `input`, which broadcasts to "
           "[n, p]. With beta = 0 `input` is not read: NaN and infinities in it leave no trace. The result has the type of the "
           "matrices; float32 means float32, so products of inputs cut to TF32 are not accepted. Where `out` is given the result "
           "is written there and returned.",
       .math = "y[i, j] = beta * input[i, j] + alpha * sum over k of mat1[i, k] * mat2[k, j]",
       .reference = addmm,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 K=33..90 N=17..90 input=randn[M,N] mat1=randn[M,K] mat2=randn[K,N]",
               "standard: M=17..70 K=33..90 N=17..90 input=randn[N] mat1=randn[M,K] mat2=randn[K,N] beta=0.5 alpha=2.0",
               "standard: K=1000..4095 input=randn[5,7] mat1=randn[5,K] mat2=randn[K,7] beta=-3 alpha=0.1",
               "standard: M=17..40 K=65..200 N=17..40 input=randn[M,N]:f16 mat1=randn[M,K]:f16 mat2=randn[K,N]:f16",
               "boundary: M=17..40 K=33..90 N=17..40 input=randn[M,1] mat1=randn[M,K]@transposed mat2=randn[K,N]@transposed",
               "boundary: input=full(nan)[9,7] mat1=randn[9,33] mat2=randn[33,7] beta=0",
               "boundary: input=values(inf,-inf,nan)[9,7] mat1=randn[9,33] mat2=randn[33,7] beta=0.0 alpha=-2",
               "boundary: input=randn[9,7] mat1=randn[9,33] mat2=randn[33,7] alpha=0",
               "boundary: input=randn[17,33] mat1=randn[17,65] mat2=randn[65,33] beta=2 out=like",
               "boundary: input=randn[33] mat1=randn[17,65] mat2=randn[65,33] alpha=0.5 out=zeros[17,33]@transposed",
               "boundary: input=randn[17] mat1=randn[9,17] mat2=randn[17,17] beta=2 alpha=3",
               "boundary: input=randn[] mat1=randn[9,17] mat2=randn[17,5] beta=3",
               "boundary: input=randn[0,3] mat1=randn[0,5] mat2=randn[5,3]",
               "boundary: input=randn[5,3] mat1=randn[5,0] mat2=randn[0,3] beta=0.5",
               "boundary: input=randn[1,1] mat1=randn[1,1] mat2=randn[1,1] beta=2 alpha=3",
               "boundary: input=randn[9,17]@offset mat1=randn[9,33]@offset mat2=randn[33,17]@offset",
               "boundary: input=randn[9,17]@strided mat1=randn[9,33]@strided mat2=randn[33,17]@strided",
               "boundary: input=randn[9,17]@expanded mat1=randn[9,33]@expanded mat2=randn[33,17]",
               "boundary: input=randn[17,9]@scale(1e-8) mat1=randn[17,65]@scale(1e-4) mat2=randn[65,9]@scale(1e-4)",
               "boundary: input=randn[17,9]@shift(1000) mat1=randn[17,33]@shift(100) mat2=randn[33,9]",
               "boundary: input=randn[9,7]@poke(nan) mat1=randn[9,17]@poke(inf) mat2=randn[17,7]",
               "boundary: input=randn[9,17]:bf16 mat1=randn[9,130]:bf16 mat2=randn[130,17]:bf16 beta=0.5 alpha=2",
               "boundary: input=randn[9,17]:f64 mat1=randn[9,130]:f64 mat2=randn[130,17]:f64 beta=0.1 alpha=0.3",
               "boundary: input=uniform[3,5]:f16 mat1=uniform[3,3000]:f16 mat2=uniform[3000,5]:f16",
               "boundary: * input=randn[17,9] mat1=randn[17,33] mat2=randn[33,9] beta=0.5",
           },
       .perf = {"input=randn[768,768] mat1=randn[768,640] mat2=randn[640,768]",
                "input=randn[511] mat1=randn[1021,513] mat2=randn[513,511] beta=0.5 alpha=2",
                "input=randn[640,640]:f16 mat1=randn[640,512]:f16 mat2=randn[512,640]:f16"},
       .perf_gpu = {"input=randn[2047] mat1=randn[2049,1025] mat2=randn[1025,2047] beta=0.5 alpha=2",
                    "input=randn[4096,4096]:f16 mat1=randn[4096,2048]:f16@scale(0.1) mat2=randn[2048,4096]:f16"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), (2 * static_cast<double>(a.tensor("mat1").size(-1)) + 3) * outputs(out), Unit::matrix};
       },
       .deviation = "The published text mentions sparse layouts and its test has none; here all tensors are dense."},
  };
  return tasks;
}

}  // namespace kbx
