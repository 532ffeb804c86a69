// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/abs.h>
#include <ATen/ops/linalg_eigvals.h>

#include <cmath>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {

std::span<const Task> spectral_norm_family() {
  static const Task tasks[] = {
      {.id = "spectral_norm_eig",
       .category = Category::normalization,
       .difficulty = 4,
       .schema = "spectral_norm_eig(Tensor A, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "How far from zero the eigenvalues of a real square matrix lie at most, or those of each in a batch [..., n, n]; "
           "complex ones count by their modulus. This is the spectral radius; it equals the 2-norm only for normal matrices. "
           "Where `out` is given the result is written there and returned.",
       .math = "y = max |w| over the eigenvalues w of A",
       .reference = [](const Args& a) -> Values { return written(a, at::linalg_eigvals(a.tensor("A")).abs().amax(-1)); },
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..33 A=randn[N,N]",
               "standard: N=9..24 A=randn[5,N,N]",
               "standard: N=5..13 A=spd(1)[4,N,N]",
               "standard: N=3..9 A=randn[17,N,N]",
               "boundary: N=5..9 A=randn[3,N,N]@transposed",
               "boundary: A=values(1,2,3,4)[2,2]",
               "boundary: A=values(0,-2,2,0)[2,2]",
               "boundary: A=values(-5,1,0,2)[2,2]",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[0,3,3]",
               "boundary: A=eye[7,7]@scale(-3)",
               "boundary: A=zeros[5,5]",
               "boundary: A=randn[2,3,7,7]@offset",
               "boundary: A=randn[3,7,7]@strided out=like",
               "boundary: A=randn[3,7,7]@scale(1e-4)",
               "boundary: A=randn[3,7,7]@shift(1000)",
               "boundary: A=randn[3,7,7] *",
           },
       .perf = {"A=randn[160,160]", "A=randn[32,48,48]"},
       .perf_gpu = {"A=randn[128,128]", "A=randn[8,32,32]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         const double n = static_cast<double>(matrix.size(-1));
         return {traffic(a, out), 10 * n * static_cast<double>(matrix.numel())};
       },
       .deviation = "Name and text say spectral norm; formula and reference are the spectral radius, and so it is here."},
  };
  return tasks;
}

}  // namespace kbx
