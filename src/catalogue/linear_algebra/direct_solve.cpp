// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/linalg_cholesky.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_solve_triangular.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values solved_and_added(const Args& a) {
  const at::Tensor b = a.tensor("b");
  const at::Tensor right = b.dim() == 1 ? b.unsqueeze(-1) : b;
  const at::Tensor x = at::linalg_solve_triangular(a.tensor("A"), right, /*upper=*/true);
  return {(b.dim() == 1 ? x.squeeze(-1) : x).add(a.tensor("y"), a.scalar("alpha"))};
}

double order(const Args& a) { return static_cast<double>(a.tensor("A").size(-1)); }

double matrices(const Args& a) {
  const double n = order(a);
  return n == 0 ? 0 : static_cast<double>(a.tensor("A").numel()) / (n * n);
}

}  // namespace

std::span<const Task> direct_solve_family() {
  static const Task tasks[] = {
      {.id = "cholesky",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "cholesky(Tensor A, bool upper=False, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Cholesky factor of a positive definite matrix [n, n], or of each in a batch [..., n, n]: symmetric, or Hermitian if "
           "A is complex, in single or double precision. The result has A's shape and type: L, lower triangular with a real "
           "positive diagonal and zeros above it, A = L L^H; with upper=True its conjugate transpose U, A = U^H U, with zeros "
           "below. A is given in full. A matrix that is not positive definite is an error: the function raises. Where `out` is "
           "given the result is written there and returned.",
       .math =
           "A = L L^H: L[j, j] = sqrt(A[j, j] - sum_{k<j} |L[j, k]|^2), L[i, j] = (A[i, j] - sum_{k<j} L[i, k] conj(L[j, k])) / "
           "L[j, j] for i > j",
       .reference = [](const Args& a) -> Values { return written(a, at::linalg_cholesky(a.tensor("A"), a.flag("upper"))); },
       .contract = decomposition(DecompositionKind::cholesky),
       .cases =
           {
               "standard: N=17..49 A=spd(1)[N,N]",
               "standard: N=17..40 A=spd(1)[N,N] upper=true",
               "standard: N=5..13 A=spd(1)[4,N,N]",
               "standard: N=9..17 A=spd(1)[N,N]:f64",
               "standard: N=9..24 A=spd(1)[N,N]:c64",
               "boundary: N=9..17 A=spd(1)[N,N]:c64 upper=true",
               "boundary: N=5..9 A=spd(1)[2,N,N]:c128",
               "boundary: N=5..9 A=spd(1)[2,N,N]@transposed upper=true",
               "boundary: A=values(4,2,2,3)[2,2]",
               "boundary: A=values(4,2,2,3)[2,2] upper=true",
               "boundary: A=values(1,0,0,0,1e-4,0,0,0,1e4)[3,3]",
               "boundary: A=values(1,2,2,1)[2,2] raises",
               "boundary: A=values(-1,0,0,1)[2,2] raises",
               "boundary: A=values(1,0,0,1,1,2,2,1)[2,2,2] raises",
               "boundary: A=spd(1)[1,1]",
               "boundary: A=spd(1)[0,0]",
               "boundary: A=spd(1)[0,3,3]",
               "boundary: A=eye[7,7]@scale(9)",
               "boundary: A=spd(1)[33,33]@offset",
               "boundary: A=spd(1)[9,9]@strided out=like",
               "boundary: A=spd(1)[9,9]:f64 upper=true out=like",
               "boundary: A=spd(1)[17,17]@scale(1e-4)",
               "boundary: A=spd(1)[17,17]@shift(1000)",
               "boundary: A=spd(0.01)[24,24]",
               "boundary: A=spd(1)[2,3,5,5] upper=true *",
               "boundary: * A=spd(1)[7,7] upper=false",
           },
       .perf = {"A=spd(1)[768,768]", "A=spd(1)[64,128,128]"},
       .perf_gpu = {"A=spd(1)[2048,2048]", "A=spd(1)[64,128,128]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double weight = a.tensor("A").is_complex() ? 4 : 1;
         // Half of A says everything; the zeros of the result are written.
         return {traffic(a, out) - static_cast<double>(a.tensor("A").nbytes()) / 2, weight * cube(order(a)) / 3 * matrices(a)};
       },
       .deviation = "The published test compares complex factors bit for bit, so that sums in another order fail. Here A - L L^H "
                    "decides, relative to |L| |L^H|. That a matrix is not Hermitian need not be noticed."},

      {.id = "solve",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "solve(Tensor A, Tensor B) -> Tensor",
       .summary =
           "The solution X of A X = B for an invertible matrix A [n, n] or a batch of them [..., n, n]. B is a matrix of "
           "right-hand sides [..., n, k] or, without the last dimension, a vector [..., n], and X has its shape; batch "
           "dimensions of matrices broadcast. A and B have the same type, real or complex, in single or double precision. A "
           "matrix that is not square, and one that is exactly singular, is an error: the function raises.",
       .math = "A X = B",
       .reference = [](const Args& a) -> Values { return {at::linalg_solve(a.tensor("A"), a.tensor("B"))}; },
       .contract = solves(Equation::square, "A", "B"),
       .cases =
           {
               "standard: N=17..49 K=1..9 A=randn[N,N] B=randn[N,K]",
               "standard: N=17..49 A=randn[N,N] B=randn[N]",
               "standard: N=5..13 K=2..7 A=randn[4,N,N] B=randn[4,N,K]",
               "standard: N=5..13 A=dominant(2)[3,N,N] B=randn[3,N]",
               "standard: N=9..17 A=randn[N,N]:f64@diagonal(2) B=randn[N,4]:f64",
               "boundary: N=9..17 A=randn[2,N,N]@transposed B=randn[2,N,3]@transposed",
               "boundary: N=9..17 A=randn[N,N]@strided B=randn[N]@strided",
               "boundary: A=values(3,1,1,2)[2,2] B=values(9,8)",
               "boundary: A=values(1,2,3,0,1,4,5,6,0)[3,3] B=values(6,4,3)",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3] B=values(1,2,3)",
               "boundary: A=values(1e-8,1,1,1)[2,2] B=values(1,2)",
               "boundary: A=values(1,2,2,4)[2,2] B=values(5,10) raises",
               "boundary: A=zeros[3,3] B=ones[3,2] raises",
               "boundary: A=values(1,2,3,4,5,6)[2,3] B=values(7,8) raises",
               "boundary: A=dominant(2)[1,1] B=randn[1]",
               "boundary: A=randn[0,0] B=randn[0,3]",
               "boundary: A=randn[0,3,3] B=randn[0,3,2]",
               "boundary: A=randn[7,7] B=randn[3,7,2]",
               "boundary: A=randn[3,7,7] B=randn[7,2]",
               "boundary: A=eye[7,7]@scale(-3) B=randn[7,2]",
               "boundary: A=randn[33,33]@offset B=randn[33]@offset",
               "boundary: A=randn[17,17]@scale(1e-4) B=randn[17,3]@scale(1e-4)",
               "boundary: A=randn[17,17]@shift(1000) B=randn[17]",
               "boundary: A=randn[9,9]:c64 B=randn[9,3]:c64",
               "boundary: * A=randn[9,9]:c128 B=randn[9]:c128",
           },
       .perf = {"A=randn[640,640] B=randn[640,16]", "A=randn[64,96,96] B=randn[64,96]"},
       .perf_gpu = {"A=randn[1024,1024] B=randn[1024,16]", "A=randn[64,128,128] B=randn[64,128]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * cube(order(a)) / 3 * matrices(a) + 2 * order(a) * outputs(out)};
       },
       .deviation =
           "The published test compares solutions, and the words of two errors. Here b - A x decides, relative to |A| |x| + "
           "|b|, and any exception will do. `left` and `out`, which the published text names, are no arguments of its function."},

      {.id = "solve_and_add_scaled_vector",
       .category = Category::linear_algebra,
       .difficulty = 1,
       .schema = "solve_and_add_scaled_vector(Tensor A, Tensor b, Tensor y, Scalar alpha) -> Tensor",
       .summary =
           "Solves A x = b for an upper triangular matrix A [n, n] and returns x + alpha * y. b is a matrix [n, k] or a vector "
           "[n], and so is the result. y is [n, 1], added to each column, or has the shape of b. alpha is a real number. Of A "
           "only the diagonal and what lies above it counts: numbers stored below the diagonal are not read. All tensors have "
           "the same type, single or double precision, and the arguments stay as they are.",
       .math = "result = U^-1 b + alpha * y, U = the upper triangle of A",
       .reference = solved_and_added,
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..49 K=2..9 A=upper(1)[N,N] b=randn[N,K] y=randn[N,1] alpha=0.5",
               "standard: N=17..49 A=upper(1)[N,N] b=randn[N] y=randn[N] alpha=-2.5",
               "standard: N=9..33 K=2..9 A=upper(1)[N,N] b=randn[N,K] y=randn[N,K] alpha=1.5",
               "standard: N=9..17 A=upper(1)[N,N]:f64 b=randn[N,4]:f64 y=randn[N,1]:f64 alpha=0.3",
               "boundary: N=9..33 A=dominant(1)[N,N] b=randn[N,3] y=randn[N,1] alpha=0.5",
               "boundary: N=9..33 A=dominant(2)[N,N]@transposed b=randn[N,3]@transposed y=randn[N,1] alpha=0.7",
               "boundary: A=upper(1)[17,17]@strided b=randn[17,3]@strided y=randn[17,1]@strided alpha=0 *",
               "boundary: A=values(2,1,0,3)[2,2] b=values(5,6,7,8)[2,2] y=values(1,2)[2,1] alpha=0.5",
               "boundary: A=values(2,1,9,3)[2,2] b=values(5,6)[2] y=values(1,2)[2] alpha=2",
               "boundary: A=upper(1)[1,1] b=randn[1,1] y=randn[1,1] alpha=1",
               "boundary: A=upper(1)[1,1] b=randn[1,5] y=randn[1,1] alpha=3",
               "boundary: A=randn[0,0] b=randn[0,3] y=randn[0,1] alpha=0.5",
               "boundary: A=eye[7,7]@scale(-3) b=randn[7,2] y=randn[7,1] alpha=-1",
               "boundary: A=upper(1)[33,33]@offset b=randn[33]@offset y=randn[33]@offset alpha=0.25",
               "boundary: A=upper(1)[17,17]@scale(1e-2) b=randn[17,3]@scale(1e-4) y=randn[17,1]@scale(1e-2) alpha=1",
               "boundary: A=upper(1)[17,17] b=randn[17,3]@shift(1000) y=randn[17,1]@shift(1000) alpha=0.5",
               "boundary: * A=upper(1)[9,9]:f64 b=randn[9]:f64 y=randn[9]:f64 alpha=4",
               "boundary: A=upper(1)[9,9] b=randn[9,2] y=randn[9,1] alpha=0.5 *",
           },
       .perf = {"A=upper(1)[1024,1024] b=randn[1024,256] y=randn[1024,1] alpha=0.5",
                "A=upper(1)[768,768] b=randn[768,512] y=randn[768,1] alpha=0.5"},
       .perf_gpu = {"A=upper(1)[2048,2048] b=randn[2048,256] y=randn[2048,1] alpha=0.5",
                    "A=upper(1)[1023,1023] b=randn[1023,1025] y=randn[1023,1] alpha=0.5"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         // Half of a triangular matrix is zero by definition.
         return {traffic(a, out) - static_cast<double>(a.tensor("A").nbytes()) / 2, (order(a) + 2) * outputs(out)};
       },
       .deviation = "The published text allows a vector b, at which its reference fails; here a vector works. Matrices are well "
                    "conditioned, so that x itself is judged, not what it leaves of its equation."},
  };
  return tasks;
}

}  // namespace kbx
