// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/cholesky_solve.h>
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_lu.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// The published reference solves L U x = b.
Values without_permutation(const Args& a) {
  const auto [p, l, u] = at::linalg_lu(a.tensor("A"));
  return {at::linalg_solve(u, at::linalg_solve(l, a.tensor("b")))};
}

}  // namespace

std::span<const Task> linear_solve_family() {
  static const Task tasks[] = {
      {.id = "fused_cholesky_solve",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_cholesky_solve(Tensor A, Tensor b) -> Tensor",
       .summary = "Solves A x = b for a symmetric positive definite matrix A [n, n] and right-hand sides b [n, k]: the Cholesky "
                  "factorisation of A and the two triangular solves in one.",
       .math = "A = L L', L y = b, L' x = y",
       .reference = [](const Args& a) -> Values {
         return {at::cholesky_solve(a.tensor("b"), at::linalg_cholesky(a.tensor("A")))};
       },
       .contract = solves(Equation::square, "A", "b"),
       .cases =
           {
               "standard: N=17..49 K=1..9 A=spd(1)[N,N] b=randn[N,K]",
               "standard: N=9..33 A=spd(1)[N,N] b=randn[N,1]",
               "standard: N=5..13 K=17..60 A=spd(0.5)[N,N] b=randn[N,K]",
               "boundary: N=9..17 A=spd(1)[N,N]@strided b=randn[N,3]@transposed",
               "boundary: A=spd(1)[1,1] b=randn[1,1]",
               "boundary: A=spd(1)[0,0] b=randn[0,3]",
               "boundary: A=eye[7,7] b=randn[7,2]",
               "boundary: A=values(4,1,1,3)[2,2] b=values(1,2)[2,1]",
               "boundary: A=values(1,0,0,0,1e-4,0,0,0,1e4)[3,3] b=randn[3,2]",
               "boundary: A=spd(1)[33,33]@offset b=randn[33,4]@offset",
               "boundary: A=spd(1)[17,17]@scale(1e-4) b=randn[17,4]@scale(1e-4)",
               "boundary: A=spd(1)[17,17] b=randn[17,4]@shift(1000)",
               "boundary: A=spd(0.01)[33,33] b=randn[33,4] *",
           },
       .perf = {"A=spd(1)[768,768] b=randn[768,1]", "A=spd(1)[640,640] b=randn[640,64]"},
       .perf_gpu = {"A=spd(1)[2048,2048] b=randn[2048,1]", "A=spd(1)[1024,1024] b=randn[1024,256]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         const double n = static_cast<double>(matrix.size(-1));
         // A symmetric matrix has to be read in one of its halves.
         return {traffic(a, out) - n * n / 2 * static_cast<double>(matrix.element_size()), cube(n) / 3 + 2 * n * outputs(out)};
       },
       .deviation = "The published test compares solutions of nearly singular systems, in which a more exact kernel fails. Here "
                    "b - A x decides, relative to |A| |x| + |b|."},

      {.id = "fused_lu_solve",
       .category = Category::fusion,
       .difficulty = 5,
       .schema = "fused_lu_solve(Tensor A, Tensor b) -> Tensor",
       .summary = "Solves A x = b for a square matrix A [n, n] and a vector b [n] by LU factorisation with partial pivoting. The "
                  "permutation counts: x solves A x = b, not L U x = b. A singular matrix is an error: the function raises.",
       .math = "A = P L U, L y = P' b, U x = y",
       .reference = [](const Args& a) -> Values { return {at::linalg_solve(a.tensor("A"), a.tensor("b"))}; },
       .published = without_permutation,
       .contract = solves(Equation::square, "A", "b"),
       .cases =
           {
               "standard: N=17..49 A=randn[N,N] b=randn[N]",
               "standard: N=9..33 A=spd(1)[N,N] b=randn[N]",
               "standard: N=5..13 A=randn[N,N] b=randn[N]",
               "standard: N=33..60 A=dominant(2)[N,N] b=randn[N]",
               "boundary: N=9..17 A=randn[N,N]@transposed b=randn[N]@strided",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3] b=values(1,2,3)",
               "boundary: A=values(1e-8,1,1,1)[2,2] b=values(1,2)",
               "boundary: A=values(1,2,3,0,1,4,5,6,0)[3,3] b=values(6,4,3)",
               "boundary: A=values(1,2,2,4)[2,2] b=values(5,10) raises",
               "boundary: A=dominant(2)[1,1] b=randn[1]",
               "boundary: A=randn[0,0] b=randn[0]",
               "boundary: A=eye[7,7]@scale(-3) b=randn[7]",
               "boundary: A=randn[33,33]@offset b=randn[33]@offset",
               "boundary: A=randn[17,17]@scale(1e-4) b=randn[17]@scale(1e-4)",
               "boundary: A=randn[17,17]@shift(1000) b=randn[17]",
               "boundary: A=uniform[33,33] b=uniform[33] *",
           },
       .perf = {"A=randn[640,640] b=randn[640]", "A=randn[896,896] b=randn[896]"},
       .perf_gpu = {"A=randn[1024,1024] b=randn[1024]", "A=randn[2048,2048] b=randn[2048]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double n = outputs(out);
         return {traffic(a, out), 2 * cube(n) / 3 + 2 * n * n};
       },
       .deviation =
           "The published reference drops the permutation and so solves L U x = b, which is another system as soon as rows were "
           "exchanged. Here A x = b is asked for, as the formula says, and b - A x decides."},

      {.id = "fused_qr_solve",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_qr_solve(Tensor A, Tensor b) -> Tensor",
       .summary =
           "Solves A x = b for a matrix A [m, n] of full rank, m >= n, and right-hand sides b [m, k] by QR factorisation; for "
           "m > n in the sense of least squares.",
       .math = "A = Q R, x = R^-1 Q' b",
       .reference = [](const Args& a) -> Values {
         const auto [q, r] = at::linalg_qr(a.tensor("A"));
         return {at::linalg_solve_triangular(r, at::matmul(q.mT(), a.tensor("b")), /*upper=*/true)};
       },
       .contract = solves(Equation::least_squares, "A", "b"),
       .cases =
           {
               "standard: M=33..65 N=9..30 K=1..9 A=randn[M,N] b=randn[M,K]",
               "standard: N=9..33 K=1..9 A=randn[N,N] b=randn[N,K]",
               "standard: M=65..120 N=3..9 A=randn[M,N] b=randn[M,1]",
               "standard: M=17..30 N=9..15 K=17..40 A=randn[M,N] b=randn[M,K]",
               "boundary: M=17..25 N=5..13 A=randn[M,N]@strided b=randn[M,3]@transposed",
               "boundary: A=values(1,2,3,4,5,6)[3,2] b=values(7,8,9)[3,1]",
               "boundary: A=values(0,1,1,0)[2,2] b=values(5,6)[2,1]",
               "boundary: A=dominant(2)[1,1] b=randn[1,1]",
               "boundary: A=randn[7,1] b=randn[7,2]",
               "boundary: A=randn[0,0] b=randn[0,3]",
               "boundary: A=eye[9,5]@scale(-2) b=randn[9,2]",
               "boundary: A=randn[33,9]@offset b=randn[33,4]@offset",
               "boundary: A=randn[33,9]@scale(1e-4) b=randn[33,4]@scale(1e-4)",
               "boundary: A=randn[33,9]@shift(100) b=randn[33,4]",
               "boundary: A=randn[33,9] b=randn[33,4] *",
           },
       .perf = {"A=randn[640,256] b=randn[640,10]", "A=randn[1536,192] b=randn[1536,10]"},
       .perf_gpu = {"A=randn[1024,256] b=randn[1024,10]", "A=randn[4096,128] b=randn[4096,10]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double m = static_cast<double>(a.tensor("A").size(-2)), n = static_cast<double>(a.tensor("A").size(-1));
         const double k = static_cast<double>(a.tensor("b").size(-1));
         return {traffic(a, out), 2 * n * n * (m - n / 3) + 4 * m * n * k};
       },
       .deviation = "The published test compares solutions. Here the residual of the normal equations and the distance from the "
                    "least |b - A x| decide."},
  };
  return tasks;
}

}  // namespace kbx
