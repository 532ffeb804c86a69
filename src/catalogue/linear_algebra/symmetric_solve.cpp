// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/diag_embed.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/linalg_ldl_factor.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/result_type.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values solved(const Args& a) {
  const at::Tensor matrix = a.tensor("A"), right = a.tensor("b");
  const at::ScalarType type = at::result_type(matrix, right);
  return written(a, at::linalg_solve(matrix.to(type), right.to(type)));
}

// The published reference takes the packed factor for L and the pivots for D.
Values with_pivots_for_factor(const Args& a) {
  const at::Tensor matrix = a.tensor("A");
  const at::ScalarType type = at::result_type(matrix, a.tensor("b"));
  const auto [factor, pivots] = at::linalg_ldl_factor(matrix, a.flag("hermitian"));
  const at::Tensor d = at::diag_embed(pivots.to(matrix.scalar_type()));
  const at::Tensor product = at::matmul(at::matmul(factor, d), a.flag("hermitian") ? factor.mH() : factor.mT());
  return written(a, at::linalg_solve(product.to(type), a.tensor("b").to(type)));
}

}  // namespace

std::span<const Task> symmetric_solve_family() {
  static const Task tasks[] = {
      {.id = "solve_symmetric_ldl",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "solve_symmetric_ldl(Tensor A, Tensor b, bool hermitian=False, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "The solution x of A x = b for a symmetric matrix A [n, n], or each in a batch [..., n, n], as a rule indefinite, by "
           "LDL factorisation with symmetric exchanges of rows and columns (without them it breaks down, at a zero on the "
           "diagonal for one). A complex A is symmetric, A = L D L^T; with hermitian=True it is Hermitian, A = L D L^H; for a "
           "real A the flag has no effect. A is given in full. b is a matrix of right-hand sides [..., n, k] or, without the "
           "last dimension, a vector [..., n], and x has its shape. Where A is complex and b real the result is complex; else "
           "all have one type. Where `out` is given the result is written there and returned.",
       .math = "A x = b, P A P' = L D L^H with D of blocks 1 x 1 and 2 x 2",
       .reference = solved,
       .published = with_pivots_for_factor,
       .contract = solves(Equation::square, "A", "b"),
       .cases =
           {
               "standard: N=17..40 A=symmetric[N,N] b=randn[N]",
               "standard: N=9..24 K=2..7 A=symmetric[N,N] b=randn[N,K]",
               "standard: N=9..24 A=spd(1)[N,N] b=randn[N] hermitian=true",
               "standard: N=5..13 A=symmetric[3,N,N] b=randn[3,N,2]",
               "standard: N=9..17 A=hermitian[N,N]:c64 b=randn[N]:c64 hermitian=true",
               "boundary: N=9..17 A=symmetric[N,N]:c64 b=randn[N,2]:c64",
               "boundary: N=5..9 A=hermitian[2,N,N]:c64 b=randn[2,N,3]:c64 hermitian=true",
               "boundary: A=hermitian[7,7]:c64 b=randn[7] hermitian=true",
               "boundary: A=values(4,1,1,3)[2,2] b=values(1,2)",
               "boundary: A=values(0,1,1,0)[2,2] b=values(5,7)",
               "boundary: A=values(0,1,2,1,0,3,2,3,0)[3,3] b=values(1,2,3)",
               "boundary: A=values(1e-8,1,1,0)[2,2] b=values(1,2)",
               "boundary: A=values(-4,1,1,-3)[2,2] b=values(1,2)[2,1]",
               "boundary: A=dominant(2)[1,1] b=randn[1]",
               "boundary: A=randn[0,0] b=randn[0,3]",
               "boundary: A=symmetric[0,3,3] b=randn[0,3]",
               "boundary: A=eye[7,7]@scale(-3) b=randn[7,2]",
               "boundary: A=symmetric[3,7,7] b=randn[3,7]",
               "boundary: A=symmetric[33,33]@offset b=randn[33]@offset",
               "boundary: A=symmetric[9,9]@strided b=randn[9,3]@transposed out=like",
               "boundary: A=symmetric[17,17]@scale(1e-4) b=randn[17]@scale(1e-4)",
               "boundary: A=symmetric[17,17]@shift(1000) b=randn[17]",
               "boundary: A=symmetric[9,9]:f64 b=randn[9]:f64 hermitian=true out=like",
               "boundary: A=symmetric[9,9] b=randn[9] hermitian=false *",
           },
       .perf = {"A=symmetric[640,640] b=randn[640]", "A=symmetric[640,640] b=randn[640,16]"},
       .perf_gpu = {"A=symmetric[1024,1024] b=randn[1024]", "A=symmetric[2048,2048] b=randn[2048,16]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         const double n = static_cast<double>(matrix.size(-1));
         const double count = n == 0 ? 0 : static_cast<double>(matrix.numel()) / (n * n);
         // A symmetric matrix has to be read in one of its halves.
         return {traffic(a, out) - static_cast<double>(matrix.nbytes()) / 2, cube(n) / 3 * count + 2 * n * outputs(out)};
       },
       .deviation =
           "The published reference multiplies the packed factor by the pivots as if these were D, and so solves another "
           "system. Here A x = b is asked for, as its text says, and b - A x decides. It also computes everything in single "
           "precision; here double precision stays, and a complex symmetric matrix is not cut to its real part."},
  };
  return tasks;
}

}  // namespace kbx
