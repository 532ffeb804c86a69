// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_qr.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

Values by_qr(const Args& a) {
  const auto [q, r] = at::linalg_qr(a.tensor("A"), a.text("mode"));
  return written(a, at::linalg_det(q) * at::diagonal(r, 0, -2, -1).prod(-1));
}

// Of one matrix.
double order(const Args& a) { return static_cast<double>(a.tensor("A").size(-1)); }

}  // namespace

std::span<const Task> determinant_family() {
  static const Task tasks[] = {
      {.id = "det",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "det(Tensor A) -> Tensor",
       .summary =
           "Determinant of a square matrix [n, n], a 0-dim tensor, or of each matrix in a batch [..., n, n], a tensor of the "
           "batch dimensions. A is real or complex, in single or double precision, and the result has its type. The determinant "
           "of a 0 x 0 matrix is 1; a matrix that is not square is an error: the function raises.",
       .math = "det(A) = sum over permutations s of sign(s) * prod_i A[i, s(i)]; for A = P L U: det(P) * prod_i U[i, i]",
       .reference = [](const Args& a) -> Values { return {at::linalg_det(a.tensor("A"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..24 A=randn[5,N,N]",
               "standard: N=5..15 A=randn[7,N,N]",
               "standard: N=2..5 A=uniform[N,N]",
               "standard: N=9..17 A=spd(1)[3,N,N]",
               "standard: N=3..4 A=randn[65,N,N]",
               "boundary: A=values(4,7,2,6)[2,2]",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3]",
               "boundary: A=values(0,2,3,0)[2,2]",
               "boundary: A=values(0,0,1,0,0,0,0,1,0,1,0,0,1,0,0,0)[4,4]",
               "boundary: A=values(1e-8,1,1,1)[2,2]",
               "boundary: A=zeros[4,4]",
               "boundary: A=eye[2,2]",
               "boundary: A=eye[9,9]@scale(-2)",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[0,0]",
               "boundary: A=randn[0,3,3]",
               "boundary: A=randn[2,3,7,7]@offset",
               "boundary: A=randn[3,7,7]@strided",
               "boundary: N=5..9 A=randn[3,N,N]@transposed",
               "boundary: A=randn[3,5,5]@scale(1e-4)",
               "boundary: A=randn[3,7,7]@shift(1000)",
               "boundary: A=randn[3,9,9]:f64",
               "boundary: A=randn[3,9,9]:c64",
               "boundary: * A=randn[7,7]:c128",
               "boundary: A=values(1,2,3,4,5,6)[2,3] raises",
           },
       .perf = {"A=randn[512,32,32]", "A=randn[2048,16,16]"},
       .perf_gpu = {"A=randn[4096,32,32]", "A=randn[16384,16,16]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 2 * cube(order(a)) / 3 * outputs(out)};
       },
       .deviation = "The published text names an `out` that its function does not take; here there is none."},

      {.id = "determinant_via_qr",
       .category = Category::linear_algebra,
       .difficulty = 3,
       .schema = "determinant_via_qr(Tensor A, *, str mode='reduced', Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Determinant of a square matrix [n, n], a 0-dim tensor, or of each matrix in a batch [..., n, n], a tensor of the "
           "batch dimensions, by QR factorisation: the product of R's diagonal times the determinant of Q, which is 1 or -1 and "
           "must not be left out. mode is reduced or complete, the form of the factorisation; for square matrices they are the "
           "same and do not change the result. A is real in single or double precision, and the result has its type. Where "
           "`out` is given the result is written there and returned.",
       .math = "det(A) = det(Q) * prod_i R[i, i], A = Q R",
       .reference = by_qr,
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..24 A=randn[5,N,N]",
               "standard: N=5..15 A=randn[5,N,N] mode=complete",
               "standard: N=8..17 A=randn[N,N]:f64@diagonal(2)",
               "standard: N=5..11 A=spd(1)[3,N,N] mode=reduced",
               "standard: N=2..5 A=randn[33,N,N]",
               "boundary: A=values(1,2,3,4)[2,2]",
               "boundary: A=values(2,0,1,1,3,2,4,1,3)[3,3] mode=complete",
               "boundary: A=values(0,1,0,0,0,1,1,0,0)[3,3]",
               "boundary: A=values(0,2,3,0)[2,2]",
               "boundary: A=values(-2,1,0,3)[2,2]",
               "boundary: A=eye[9,9]@scale(-2)",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[5,1,1]",
               "boundary: A=randn[0,3,3]",
               "boundary: A=randn[2,3,7,7]@offset",
               "boundary: A=randn[3,7,7]@strided out=like",
               "boundary: N=5..9 A=randn[3,N,N]@transposed",
               "boundary: A=randn[3,5,5]@scale(1e-4)",
               "boundary: A=randn[3,7,7]@shift(1000)",
               "boundary: A=randn[7,7] * mode=complete out=like",
               "boundary: * A=randn[3,6,6]:f64",
           },
       .perf = {"A=randn[192,32,32]", "A=randn[1024,16,16]"},
       .perf_gpu = {"A=randn[32,32,32]", "A=randn[64,16,16]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 4 * cube(order(a)) / 3 * outputs(out)};
       },
       .deviation =
           "The published test compares the determinant of an exactly singular matrix, which by this way is rounding noise. "
           "Singular matrices do not appear here."},
  };
  return tasks;
}

}  // namespace kbx
