// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/linalg_eig.h>
#include <ATen/ops/linalg_ldl_factor.h>
#include <ATen/ops/linalg_qr.h>

#include <algorithm>
#include <tuple>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values ldl(const Args& a) {
  const at::Tensor matrix = a.tensor("A");
  const bool hermitian = a.flag("hermitian");
  // Not every build of the library for GPUs has the Hermitian one.
  const bool elsewhere = hermitian && matrix.is_complex() && !matrix.is_cpu();
  const auto [packed, pivots] = at::linalg_ldl_factor(elsewhere ? matrix.cpu() : matrix, hermitian);
  return {packed.to(matrix.device()), pivots.to(matrix.device())};
}

struct Shape {
  double m, n, matrices;
};
Shape shape_of(const Args& a) {
  const at::Tensor matrix = a.tensor("A");
  const double m = static_cast<double>(matrix.size(-2)), n = static_cast<double>(matrix.size(-1));
  return {m, n, m * n == 0 ? 0 : static_cast<double>(matrix.numel()) / (m * n)};
}

}  // namespace

std::span<const Task> factorization_family() {
  static const Task tasks[] = {
      {.id = "eig",
       .category = Category::linear_algebra,
       .difficulty = 3,
       .schema = "eig(Tensor A) -> (Tensor eigenvalues, Tensor eigenvectors)",
       .summary =
           "Eigenvalues [..., n] and eigenvectors [..., n, n] of a square matrix, or of each in a batch [..., n, n], which need "
           "not be symmetric but can be diagonalised. Both results are complex, also for a real A, with A's precision: single "
           "or double. Column j of the eigenvectors has norm 1 and belongs to eigenvalue j; the columns are independent. The "
           "order of the eigenvalues, the phase of an eigenvector and the basis for equal eigenvalues are free.",
       .math = "A V = V diag(w), A = V diag(w) V^-1",
       .reference = [](const Args& a) -> Values {
         const auto [w, v] = at::linalg_eig(a.tensor("A"));
         return {w, v};
       },
       .contract = decomposition(DecompositionKind::eig),
       .cases =
           {
               "standard: N=9..24 A=randn[N,N]",
               "standard: N=9..24 A=symmetric[N,N]",
               "standard: N=5..9 A=randn[4,N,N]",
               "standard: N=8..16 A=symmetric[N,N]:f64",
               "standard: N=5..13 A=randn[N,N]:c64",
               "boundary: N=5..9 A=dominant(2)[3,N,N]",
               "boundary: A=values(2,0,0,3)[2,2]",
               "boundary: A=values(0,-1,0,1,0,0,0,0,1)[3,3]",
               "boundary: A=values(4,1,0,1,4,0,0,0,5)[3,3]",
               "boundary: A=values(1,2,0,3)[2,2]",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3]",
               "boundary: A=values(2,0,0,2,0,-1,1,0,4,1,2,3)[3,2,2]",
               "boundary: A=lowrank(2)[7,7]",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[0,0]",
               "boundary: A=randn[0,3,3]",
               "boundary: A=eye[5,5]@scale(-3)",
               "boundary: A=zeros[4,4]",
               "boundary: A=hermitian[9,9]:c128",
               "boundary: A=randn[9,9]@offset",
               "boundary: A=randn[9,9]@strided",
               "boundary: A=randn[7,7]@transposed",
               "boundary: A=randn[9,9]@scale(1e-4)",
               "boundary: A=randn[9,9]@shift(100)",
               "boundary: * A=randn[2,3,4,4]",
           },
       .perf = {"A=randn[192,192]", "A=randn[64,24,24]"},
       .perf_gpu = {"A=randn[128,128]", "A=randn[8,32,32]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const Shape s = shape_of(a);
         return {traffic(a, out), 25 * cube(s.n) * s.matrices};
       },
       .deviation =
           "The published test compares eigenvalues and eigenvectors bit for bit with one library's order and phases, also "
           "where eigenvalues are equal. Here A v - w v, the lengths, the independence of the eigenvectors and the eigenvalues "
           "in any order count. `out`, which the published text names, is no argument of its function."},

      {.id = "ldl_factor",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "ldl_factor(Tensor A, bool hermitian=False, *, Tensor[]? out=None) -> (Tensor LD, Tensor pivots)",
       .summary =
           "LDL factorisation with diagonal pivoting (Bunch-Kaufman) of a symmetric, as a rule indefinite matrix [n, n], or "
           "each in a batch [..., n, n]. A complex A is symmetric; with hermitian=True it is Hermitian; for a real A the flag "
           "has no effect. Results in LAPACK's form (sytrf or hetrf, lower triangle): LD with A's shape and type, and pivots "
           "[..., n], int32, counted from 1. Going through k = 1, 2, ..., a positive pivots[k] = q >= k is a 1 x 1 block of D "
           "at k, before whose elimination rows and columns k and q changed places; pivots[k] = pivots[k+1] = -q, q > k, is a 2 "
           "x 2 block at k and k+1, before which k+1 and q changed places. LD has D's blocks on its diagonal (of a 2 x 2 block "
           "the element below the diagonal, not the one above), below them the multipliers of each step in the order of that "
           "step (later exchanges do not move them), and zeros above the diagonal. Which pivots are taken is free as long as "
           "they keep the elements from growing.",
       .math =
           "A = L D L^T (hermitian: L D L^H), L = P1 L1 P2 L2 ..., Pk the exchange and Lk the unit lower triangular matrix with "
           "the multipliers of step k",
       .reference = ldl,
       .contract = decomposition(DecompositionKind::ldl),
       .cases =
           {
               "standard: N=17..40 A=symmetric[N,N]",
               "standard: N=5..13 A=symmetric[4,N,N]",
               "standard: N=9..17 A=symmetric[N,N]:f64",
               "standard: N=9..24 A=spd(1)[N,N]",
               "standard: N=9..24 A=hermitian[N,N]:c64 hermitian=true",
               "boundary: N=9..17 A=symmetric[N,N]:c64",
               "boundary: N=5..9 A=hermitian[3,N,N]:c64 hermitian=true",
               "boundary: N=5..9 A=hermitian[N,N]:c128 hermitian=true",
               "boundary: A=values(4,1,1,3)[2,2]",
               "boundary: A=values(0,1,1,0)[2,2]",
               "boundary: A=values(0,1,2,1,0,3,2,3,0)[3,3]",
               "boundary: A=values(0,0,1,0,0,5,0,2,1,0,0,0,0,2,0,0)[4,4]",
               "boundary: A=values(1e-8,1,1,0)[2,2]",
               "boundary: A=values(4,1,1,3,2,0.5,0.5,2)[2,2,2]",
               "boundary: A=dominant(2)[1,1]",
               "boundary: A=symmetric[0,0]",
               "boundary: A=symmetric[0,3,3]",
               "boundary: A=eye[7,7]@scale(-3)",
               "boundary: A=symmetric[33,33]@offset",
               "boundary: A=symmetric[9,9]@strided",
               "boundary: A=symmetric[2,9,9]@transposed hermitian=true",
               "boundary: A=symmetric[17,17]@scale(1e-4)",
               "boundary: A=symmetric[17,17]@shift(1000)",
               "boundary: A=symmetric[2,3,5,5] hermitian=false *",
           },
       .perf = {"A=symmetric[512,512]", "A=symmetric[128,64,64]"},
       .perf_gpu = {"A=symmetric[256,256]", "A=symmetric[16,64,64]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const Shape s = shape_of(a);
         const double weight = a.tensor("A").is_complex() ? 4 : 1;
         // A symmetric matrix has to be read in one of its halves.
         return {traffic(a, out) - static_cast<double>(a.tensor("A").nbytes()) / 2, weight * cube(s.n) / 3 * s.matrices};
       },
       .deviation =
           "The published test compares with one library's choice of pivots, complex results bit for bit. Here the product of "
           "the unpacked factors decides. `out` is never passed."},

      {.id = "qr",
       .category = Category::linear_algebra,
       .difficulty = 5,
       .schema = "qr(Tensor A, str mode='reduced', *, Tensor[]? out=None) -> (Tensor Q, Tensor R)",
       .summary =
           "QR factorisation of a matrix or of each in a batch [..., m, n], k = min(m, n), real or complex, in single or double "
           "precision: Q with orthonormal columns, also where those of A are dependent, and R upper triangular with zeros below "
           "its diagonal. mode=reduced: Q [..., m, k] and R [..., k, n]; mode=complete: Q [..., m, m] and R [..., m, n]; "
           "mode=r: only R [..., k, n], and for Q an empty tensor of shape [0]. The signs (of complex numbers the phases) of "
           "R's diagonal are free, and so are the columns of Q beyond k.",
       .math = "A = Q R, Q^H Q = I",
       .reference = [](const Args& a) -> Values {
         const auto [q, r] = at::linalg_qr(a.tensor("A"), a.text("mode"));
         return {q, r};
       },
       .contract = decomposition(DecompositionKind::qr),
       .cases =
           {
               "standard: M=17..49 N=5..13 A=randn[M,N]",
               "standard: M=17..40 N=5..13 A=randn[M,N] mode=complete",
               "standard: M=5..13 N=17..33 A=randn[M,N] mode=reduced",
               "standard: M=17..33 N=9..15 A=randn[M,N] mode=r",
               "standard: M=9..17 N=5..8 A=randn[3,M,N]",
               "standard: N=17..33 A=randn[N,N]:f64 mode=complete",
               "boundary: M=5..9 N=11..17 A=randn[M,N] mode=complete",
               "boundary: M=5..9 N=11..17 A=randn[M,N] mode=r",
               "boundary: M=5..9 A=randn[2,M,7]@transposed mode=r",
               "boundary: M=9..17 A=randn[M,7]:c64",
               "boundary: M=9..17 A=randn[M,7]:c128 mode=complete",
               "boundary: A=values(1,2,3,4,5,6)[3,2] mode=complete",
               "boundary: A=values(0,1,1,0)[2,2]",
               "boundary: A=values(1,1,1,1e-4,0,0,0,1e-4,0,0,0,1e-4)[4,3]",
               "boundary: A=lowrank(2)[9,7]",
               "boundary: A=zeros[5,3]",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[1,7]",
               "boundary: A=randn[7,1] mode=complete",
               "boundary: A=randn[0,4,3]",
               "boundary: A=eye[7,5]@scale(-3)",
               "boundary: A=randn[33,9]@offset",
               "boundary: A=randn[9,7]@strided mode=complete",
               "boundary: A=randn[9,7]@scale(1e-4)",
               "boundary: A=randn[17,7]@shift(1000)",
               "boundary: A=randn[2,3,5,4] mode=complete *",
               "boundary: A=randn[5,4] mode=raw raises",
           },
       .perf = {"A=randn[512,256]", "A=randn[64,64,64]"},
       .perf_gpu = {"A=randn[1024,512]", "A=randn[32,64,64]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const Shape s = shape_of(a);
         const double large = std::max(s.m, s.n), small = std::min(s.m, s.n);
         return {traffic(a, out), (4 * large * small * small - 4 * cube(small) / 3) * s.matrices};
       },
       .deviation =
           "The published test compares with one library's signs and, with mode=complete, its choice of the columns that "
           "complete Q. Here residual, orthogonality and form count. `out` is never passed."},
  };
  return tasks;
}

}  // namespace kbx
