// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_lu.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <tuple>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

struct Factors {
  at::Tensor p, l, u;
};

// The library has no factorisation without row exchanges on the CPU.
Factors without_exchanges(const at::Tensor& matrix) {
  const int64_t m = matrix.size(-2), n = matrix.size(-1), k = std::min(m, n);
  at::Tensor work = matrix.clone();
  for (int64_t j = 0; j + 1 < m && j < k; ++j) {
    at::Tensor below = work.narrow(-2, j + 1, m - j - 1);
    at::Tensor multipliers = below.narrow(-1, j, 1);
    multipliers.div_(work.narrow(-2, j, 1).narrow(-1, j, 1));
    below.narrow(-1, j + 1, n - j - 1).sub_(at::matmul(multipliers, work.narrow(-2, j, 1).narrow(-1, j + 1, n - j - 1)));
  }
  at::Tensor l = work.narrow(-1, 0, k).tril(-1);
  at::diagonal(l, 0, -2, -1).fill_(1);
  return {at::empty({0}, matrix.options()), l, work.narrow(-2, 0, k).triu()};
}

Factors factors_of(const Args& a) {
  const at::Tensor matrix = a.tensor("A");
  if (!a.flag("pivot")) return without_exchanges(matrix);
  const auto [p, l, u] = at::linalg_lu(matrix);
  return {p, l, u};
}

double matrices(const at::Tensor& batch) {
  const int64_t area = batch.size(-1) * batch.size(-2);
  return area == 0 ? 0 : static_cast<double>(batch.numel() / area);
}

Values determinant(const Args& a) {
  if (a.flag("pivot")) return written(a, at::linalg_det(a.tensor("A")));
  return written(a, at::diagonal(factors_of(a).u, 0, -2, -1).prod(-1));
}

at::Tensor solved(const Factors& f, const at::Tensor& right) {
  const at::Tensor y = at::linalg_solve_triangular(f.l, right, /*upper=*/false, /*left=*/true, /*unitriangular=*/true);
  return at::linalg_solve_triangular(f.u, y, /*upper=*/true);
}

Values inverse(const Args& a) {
  if (a.flag("pivot")) return written(a, at::linalg_inv(a.tensor("A")));
  const at::Tensor matrix = a.tensor("A");
  return written(a, solved(factors_of(a), at::eye(matrix.size(-1), matrix.options()).expand_as(matrix)));
}

// The published formula has P where P' is needed.
Values inverse_with_wrong_permutation(const Args& a) {
  if (!a.flag("pivot")) return inverse(a);
  const Factors f = factors_of(a);
  return written(a, solved(f, f.p));
}

}  // namespace

std::span<const Task> lu_family() {
  static const Task tasks[] = {
      {.id = "determinant_lu",
       .category = Category::linear_algebra,
       .difficulty = 3,
       .schema = "determinant_lu(Tensor A, *, bool pivot=True, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Determinant of a square matrix, or of each in a batch [..., n, n], by LU factorisation: the product of U's diagonal "
           "with the sign of the row exchanges. pivot=False factors without exchanges; the determinant is the same. Where "
           "`out` is given the result is written there and returned.",
       .math = "det(A) = det(P) * prod(diag(U)), A = P L U",
       .reference = determinant,
       .contract = numeric(),
       .cases =
           {
               "standard: N=9..24 A=randn[5,N,N]",
               "standard: N=17..29 A=randn[N,N]",
               "standard: N=5..11 A=dominant(2)[7,N,N] pivot=false",
               "standard: N=5..9 A=spd(1)[3,N,N] * pivot=false",
               "standard: N=3..9 A=randn[33,N,N] pivot=true",
               "boundary: N=5..9 A=randn[3,N,N]@transposed",
               "boundary: A=values(1,2,3,0,1,4,5,6,0)[3,3] pivot=false",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3]",
               "boundary: A=values(0,2,3,0)[2,2]",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[5,1,1]",
               "boundary: A=randn[0,3,3]",
               "boundary: A=eye[9,9]@scale(-2)",
               "boundary: A=randn[2,3,7,7]@offset",
               "boundary: A=randn[3,7,7]@strided out=like",
               "boundary: A=randn[3,5,5]@scale(1e-4)",
               "boundary: A=randn[3,7,7]@shift(1000)",
               "boundary: A=randn[3,7,7] *",
           },
       .perf = {"A=randn[512,32,32]", "A=randn[2048,16,16]"},
       .perf_gpu = {"A=randn[4096,32,32]", "A=randn[16384,16,16]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         return {traffic(a, out), 2 * cube(static_cast<double>(matrix.size(-1))) / 3 * matrices(matrix)};
       },
       .deviation =
           "The published reference cannot factor without pivoting on the CPU. Here pivot=False asks for no other result, and "
           "appears with matrices that need no exchanges. Singular matrices do not appear."},

      {.id = "invert_matrix_lu",
       .category = Category::linear_algebra,
       .difficulty = 3,
       .schema = "invert_matrix_lu(Tensor A, *, bool pivot=True, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Inverse of a square matrix, or of each in a batch [..., n, n], by LU factorisation. pivot=False factors without row "
           "exchanges, for matrices that need none. Where `out` is given the result is written there and returned.",
       .math = "A = P L U, A^-1 = U^-1 L^-1 P'",
       .reference = inverse,
       .published = inverse_with_wrong_permutation,
       .contract = solves(Equation::inverse, "A"),
       .cases =
           {
               "standard: N=17..33 A=randn[N,N]",
               "standard: N=5..13 A=randn[3,N,N]",
               "standard: N=9..33 A=dominant(2)[N,N] pivot=false",
               "standard: N=5..13 A=spd(1)[2,N,N] pivot=true",
               "boundary: N=9..17 A=dominant(2)[2,N,N]@transposed pivot=false",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3]",
               "boundary: A=values(1e-8,1,1,1)[2,2]",
               "boundary: A=values(4,3,6,3)[2,2] pivot=false",
               "boundary: A=dominant(2)[1,1]",
               "boundary: A=randn[0,3,3]",
               "boundary: A=eye[7,7]@scale(-3)",
               "boundary: A=randn[17,17]@offset",
               "boundary: A=randn[9,9]@strided out=like",
               "boundary: A=randn[17,17]@scale(1e-4)",
               "boundary: A=randn[17,17]@shift(1000)",
               "boundary: A=randn[2,3,5,5] *",
           },
       .perf = {"A=dominant(2)[512,512]", "A=dominant(2)[32,96,96]"},
       .perf_gpu = {"A=dominant(2)[1024,1024]", "A=dominant(2)[64,128,128]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         return {traffic(a, out), 2 * cube(static_cast<double>(matrix.size(-1))) * matrices(matrix)};
       },
       .deviation =
           "Formula and reference as published have P where the transpose of P is needed, which is wrong unless P is its own "
           "inverse. Here the true inverse is asked for, judged by A X - I. pivot=False appears only with matrices that need no "
           "exchanges."},

      {.id = "lu",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "lu(Tensor A, bool pivot=True, *, Tensor[]? out=None) -> (Tensor P, Tensor L, Tensor U)",
       .summary =
           "LU factorisation of a matrix or of each in a batch [..., m, n], k = min(m, n): a permutation matrix P [m, m], L [m, "
           "k] "
           "lower triangular with ones on its diagonal, U [k, n] upper triangular. Partial pivoting: no entry of L exceeds one "
           "in magnitude. With pivot=False no rows are exchanged and P is an empty tensor of shape [0].",
       .math = "A = P L U; pivot=False: A = L U",
       .reference = [](const Args& a) -> Values {
         const Factors f = factors_of(a);
         return {f.p, f.l, f.u};
       },
       .contract = decomposition(DecompositionKind::lu),
       .cases =
           {
               "standard: N=17..33 A=randn[N,N]",
               "standard: M=17..40 N=5..13 A=randn[M,N]",
               "standard: N=5..13 A=randn[4,N,N] pivot=true",
               "standard: M=5..13 N=17..24 A=randn[M,N] pivot=false",
               "standard: N=9..24 A=dominant(2)[N,N] pivot=false",
               "boundary: M=5..9 A=randn[3,M,7]@transposed",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3]",
               "boundary: A=values(1e-8,1,1,1)[2,2]",
               "boundary: A=values(1,1,-1,1,1,1,1,-1,1)[3,3]",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[1,7]",
               "boundary: A=randn[7,1]",
               "boundary: A=randn[0,3,4]",
               "boundary: A=zeros[5,3]",
               "boundary: A=eye[7,5]@scale(-3)",
               "boundary: A=randn[9,7]@offset",
               "boundary: A=randn[9,7]@strided pivot=false",
               "boundary: A=randn[9,7]@scale(1e-4)",
               "boundary: A=randn[9,7]@shift(1000)",
               "boundary: A=spd(1)[2,3,5,5] pivot=false",
               "boundary: A=randn[9,7] * pivot=true",
           },
       .perf = {"A=randn[768,768]", "A=randn[64,96,96]"},
       .perf_gpu = {"A=randn[1024,1024]", "A=randn[64,128,128]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         const double m = static_cast<double>(matrix.size(-2)), n = static_cast<double>(matrix.size(-1)), k = std::min(m, n);
         return {traffic(a, out), (m * n - (m + n) * k / 2 + k * k / 3) * 2 * k * matrices(matrix)};
       },
       .deviation = "`out`, a tuple that the published reference ignores, does not appear."},
  };
  return tasks;
}

}  // namespace kbx
