// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/abs.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

at::Tensor blended(const Args& a, const at::Tensor& left, const at::Tensor& right, const at::Tensor& added) {
  return at::mm(left, right).mul(a.scalar("alpha")).add(added.mul(a.scalar("beta")));
}

Values twice(const Args& a) {
  const at::Tensor first = blended(a, a.tensor("A"), a.tensor("B"), a.tensor("C"));
  return {blended(a, first, first.t(), first)};
}

Values abs_sum(const Args& a) {
  const at::Tensor matrix = a.tensor("A");
  return {blended(a, matrix, matrix.t(), a.tensor("C")).abs().sum()};
}

}  // namespace

std::span<const Task> symmetric_product_family() {
  static const Task tasks[] = {
      {.id = "matrix_multiply_symmetric",
       .category = Category::matrix_multiply,
       .difficulty = 4,
       .schema = "matrix_multiply_symmetric(Tensor A, Tensor B, Tensor C, Scalar alpha, Scalar beta) -> Tensor",
       .summary =
           "Two products in a row, with the same two factors. First the matrix D = alpha A B + beta C of A [n, m], B [m, n] and "
           "C [n, n]; then alpha times D with its own transpose, plus beta D. The result is a new [n, n] matrix: C is only "
           "read. It is symmetric only in its first term, since D need not be symmetric. float32 means float32: products of "
           "inputs cut to TF32 are not accepted.",
       .math = "D = alpha * A B + beta * C\ny = alpha * D D' + beta * D",
       .reference = twice,
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..49 K=33..90 A=randn[N,K] B=randn[K,N] C=randn[N,N] alpha=1.0 beta=0.5",
               "standard: N=33..70 K=9..33 A=randn[N,K] B=randn[K,N] C=randn[N,N] alpha=0.5 beta=2.0",
               "standard: K=1000..3000 A=randn[9,K] B=randn[K,9] C=randn[9,9] alpha=0.1 beta=-1",
               "boundary: N=17..33 K=17..33 A=randn[N,K]@transposed B=randn[K,N]@strided C=randn[N,N]@transposed alpha=2 "
               "beta=0.5",
               "boundary: A=randn[17,17] B=randn[17,17] C=randn[17,17] alpha=-1.5 beta=3",
               "boundary: A=randn[17,33] B=randn[33,17] C=randn[17,17] alpha=1 beta=1",
               "boundary: A=randn[17,33] B=randn[33,17] C=randn[17,17] alpha=1.0 beta=0.0",
               "boundary: A=randn[17,33] B=randn[33,17] C=randn[17,17] alpha=0.0 beta=2.0",
               "boundary: A=zeros[5,3] B=randn[3,5] C=randn[5,5] alpha=2.0 beta=0.5",
               "boundary: A=randn[5,0] B=randn[0,5] C=randn[5,5] alpha=2.0 beta=0.5",
               "boundary: A=randn[0,5] B=randn[5,0] C=randn[0,0] alpha=2.0 beta=0.5",
               "boundary: A=randn[1,1] B=randn[1,1] C=randn[1,1] alpha=2.0 beta=0.5",
               "boundary: A=randn[17,9]@offset B=randn[9,17]@offset C=randn[17,17]@offset alpha=1 beta=0.25",
               "boundary: A=randn[17,9]@expanded B=randn[9,17] C=randn[17,17]@expanded alpha=1 beta=0.25",
               "boundary: A=randn[17,33]@scale(1e-4) B=randn[33,17]@scale(1e-4) C=randn[17,17]@scale(1e-8) alpha=1 beta=0.5",
               "boundary: A=randn[17,33] B=randn[33,17] C=randn[17,17]@shift(1000) alpha=1 beta=0.5",
               "boundary: A=randn[9,17]@poke(nan) B=randn[17,9] C=randn[9,9] alpha=1 beta=0.5",
               "boundary: A=randn[9,17]:f64 B=randn[17,9]:f64 C=randn[9,9]:f64 alpha=0.1 beta=0.3",
               "boundary: A=randn[17,2049]:f16@scale(0.1) B=randn[2049,17]:f16@scale(0.1) C=randn[17,17]:f16 alpha=0.5 beta=0.5",
               "boundary: A=randn[17,33]:f16@scale(0.2) B=randn[33,17]:f16@scale(0.2) C=randn[17,17]:f16 alpha=1 beta=0.5",
               "boundary: * A=randn[9,17] B=randn[17,9] C=randn[9,9] alpha=1 beta=0.5",
           },
       .perf = {"A=randn[512,512] B=randn[512,512] C=randn[512,512] alpha=1.0 beta=0.5",
                "A=randn[639,513] B=randn[513,639] C=randn[639,639] alpha=0.5 beta=1.0"},
       .perf_gpu = {"A=randn[2048,2048] B=randn[2048,2048] C=randn[2048,2048] alpha=1.0 beta=0.5",
                    "A=randn[1535,1025] B=randn[1025,1535] C=randn[1535,1535] alpha=0.5 beta=1.0"},
       // The second product is symmetric: half of it is enough.
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double m = static_cast<double>(a.tensor("A").size(1)), n = static_cast<double>(a.tensor("A").size(0));
         return {traffic(a, out), outputs(out) * (2 * m + n + 6), Unit::matrix};
       },
       .deviation = "The published tolerance is below the rounding of float32 where large terms cancel; here the budget follows "
                    "from the terms of both products. B has n columns: for other shapes the last addition has no meaning."},

      {.id = "symmetric_mm_and_abs_sum",
       .category = Category::matrix_multiply,
       .difficulty = 4,
       .schema = "symmetric_mm_and_abs_sum(Tensor A, Tensor C, Scalar alpha, Scalar beta) -> Tensor",
       .summary =
           "Product of A [n, m] with its own transpose, times alpha, plus beta times C [n, n], which need not be symmetric; then "
           "the sum of the absolute values of all n * n elements, as a 0-dim tensor. C is only read. float32 means float32: "
           "products of inputs cut to TF32 are not accepted.",
       .math = "y = sum over i, j of |alpha * (A A')[i, j] + beta * C[i, j]|",
       .reference = abs_sum,
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..49 M=33..90 A=randn[N,M] C=randn[N,N] alpha=1.0 beta=0.5",
               "standard: N=33..70 M=9..33 A=randn[N,M] C=randn[N,N] alpha=0.5 beta=2.0",
               "standard: M=1000..4095 A=randn[5,M] C=randn[5,5] alpha=0.1 beta=-3",
               "standard: N=2..4 M=5..9 A=randn[N,M] C=randn[N,N] alpha=1.5 beta=1",
               "boundary: N=17..33 M=17..33 A=randn[N,M]@transposed C=randn[N,N]@strided alpha=2 beta=0.5",
               "boundary: A=randn[17,17] C=randn[17,17] alpha=-1.5 beta=3",
               "boundary: A=randn[7,3]@draw(1) C=randn[7,7] alpha=1 beta=1",
               "boundary: A=randn[3,3]@draw(2) C=randn[3,3] alpha=1 beta=1",
               "boundary: A=randn[2,5]@draw(3) C=randn[2,2] alpha=1 beta=-1",
               "boundary: A=randn[17,33] C=randn[17,17] alpha=1.0 beta=0.0",
               "boundary: A=randn[17,33] C=randn[17,17] alpha=0.0 beta=2.0",
               "boundary: A=values(1,2,3,4)[2,2] C=values(-5,-11,-12,-25)[2,2] alpha=1.0 beta=1.0",
               "boundary: A=zeros[2,2] C=values(1,-2,3,-4)[2,2] alpha=1.0 beta=1.0",
               "boundary: A=randn[5,0] C=randn[5,5] alpha=2.0 beta=0.5",
               "boundary: A=randn[0,5] C=randn[0,0] alpha=2.0 beta=0.5",
               "boundary: A=randn[1,1] C=randn[1,1] alpha=2.0 beta=0.5",
               "boundary: A=randn[17,9]@offset C=randn[17,17]@offset alpha=1 beta=0.25",
               "boundary: A=randn[17,9]@expanded C=randn[17,17] alpha=1 beta=0.25",
               "boundary: A=randn[17,33]@scale(1e-4) C=randn[17,17]@scale(1e-8) alpha=1 beta=0.5",
               "boundary: A=randn[17,33] C=randn[17,17]@shift(-1000) alpha=1 beta=0.5",
               "boundary: A=randn[9,17]@poke(nan) C=randn[9,9] alpha=1 beta=0.5",
               "boundary: A=randn[9,17] C=randn[9,9]@poke(-inf) alpha=1 beta=0.5",
               "boundary: A=randn[9,17]:f64 C=randn[9,9]:f64 alpha=0.1 beta=0.3",
               "boundary: * A=randn[9,17] C=randn[9,9] alpha=1 beta=0.5",
           },
       .perf = {"A=randn[768,512] C=randn[768,768] alpha=1.0 beta=0.5", "A=randn[767,641] C=randn[767,767] alpha=0.5 beta=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double m = static_cast<double>(a.tensor("A").size(1)), elements = static_cast<double>(a.tensor("C").numel());
         return {traffic(a, out), elements * (m + 4), Unit::matrix};
       }},
  };
  return tasks;
}

}  // namespace kbx
