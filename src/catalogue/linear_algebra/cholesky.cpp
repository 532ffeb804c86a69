// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/cholesky_solve.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {

std::span<const Task> cholesky_family() {
  static const Task tasks[] = {
      {.id = "cholesky_solve",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "cholesky_solve(Tensor B, Tensor L, bool upper=False, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Solves A X = B with the Cholesky factor L of a symmetric positive definite A given, for right-hand sides B "
           "[..., n, k] and factors [..., n, n] whose batch dimensions broadcast. The factor is lower triangular, A = L L'; with "
           "upper=True it is upper triangular, A = L' L. Where `out` is given the result is written there and returned.",
       .math = "L L' X = B; upper=True: L' L X = B",
       .reference = [](const Args& a) -> Values {
         return written(a, at::cholesky_solve(a.tensor("B"), a.tensor("L"), a.flag("upper")));
       },
       .contract = solves(Equation::cholesky, "L", "B"),
       .cases =
           {
               "standard: N=17..49 K=1..9 B=randn[N,K] L=lower(1)[N,N]",
               "standard: N=17..49 K=1..9 B=randn[N,K] L=upper(1)[N,N] upper=true",
               "standard: N=5..13 B=randn[4,N,3] L=lower(1)[4,N,N]",
               "standard: N=5..13 K=9..33 B=randn[3,N,K] L=upper(1)[3,N,N] upper=true",
               "boundary: N=5..13 B=randn[2,N,3]@transposed L=upper(1)[2,N,N]@transposed",
               "boundary: N=5..13 B=randn[2,N,3]@strided L=upper(1)[2,N,N]@strided upper=true",
               "boundary: B=values(1,2)[2,1] L=values(2,0,1,1)[2,2]",
               "boundary: B=values(1,2)[2,1] L=values(2,1,0,1)[2,2] upper=true",
               "boundary: B=randn[1,1] L=lower(1)[1,1]",
               "boundary: B=randn[0,5,2] L=lower(1)[0,5,5]",
               "boundary: B=randn[7,3] L=eye[7,7]",
               "boundary: B=randn[3,7,2] L=lower(1)[7,7]",
               "boundary: B=randn[17,3]@offset L=lower(1)[17,17]@offset",
               "boundary: B=randn[17,3]@scale(1e-4) L=lower(1)[17,17]@scale(1e-2)",
               "boundary: B=randn[17,3]@shift(1000) L=lower(1)[17,17]",
               "boundary: B=randn[9,3] L=lower(1)[9,9] out=like",
               "boundary: B=randn[9,3] L=upper(1)[9,9] upper=true *",
           },
       .perf = {"B=randn[768,256] L=lower(1)[768,768]", "B=randn[96,128,64] L=lower(1)[96,128,128]"},
       .perf_gpu = {"B=randn[2048,512] L=lower(1)[2048,2048]", "B=randn[256,128,64] L=lower(1)[256,128,128]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor factor = a.tensor("L");
         // Half of the factor is zero by definition.
         return {traffic(a, out) - static_cast<double>(factor.nbytes()) / 2,
                 2 * static_cast<double>(factor.size(-1)) * outputs(out)};
       },
       .deviation = "The published test compares solutions. Here b - A x decides, relative to |A| |x| + |b|."},
  };
  return tasks;
}

}  // namespace kbx
