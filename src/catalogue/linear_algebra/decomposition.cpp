// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/linalg_svd.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> decomposition_family() {
  static const Task tasks[] = {
      {.id = "svd",
       .category = Category::linear_algebra,
       .difficulty = 4,
       .schema = "svd(Tensor A, bool full_matrices=True) -> (Tensor U, Tensor S, Tensor Vh)",
       .summary = "Singular value decomposition of a matrix or a batch of matrices: orthogonal U and Vh, singular values S that "
                  "are not negative and descend. full_matrices completes U and Vh to square matrices. Signs and the choice among "
                  "equal singular values are free.",
       .math = "A = U[:, :k] diag(S) Vh[:k, :], k = min(m, n); U'U = I, Vh Vh' = I",
       .reference = [](const Args& a) -> Values {
         auto [u, s, vh] = at::linalg_svd(a.tensor("A"), a.flag("full_matrices"));
         return {u, s, vh};
       },
       .contract = decomposition(DecompositionKind::svd),
       .cases =
           {
               "standard: M=9..23 N=9..15 A=randn[M,N] full_matrices=false",
               "standard: M=5..11 N=13..23 A=randn[M,N]",
               "standard: N=9..23 A=randn[N,N] full_matrices=true",
               "boundary: M=5..9 A=randn[3,M,7]@transposed full_matrices=false",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[0,3,4]",
               "boundary: A=randn[1,7] full_matrices=false",
               "boundary: A=randn[7,1]",
               "boundary: A=eye[5,5]",
               "boundary: A=eye[7,5]@scale(-3)",
               "boundary: A=zeros[5,3]",
               "boundary: A=lowrank(2)[9,7] full_matrices=false",
               "boundary: A=randn[9,7]@offset",
               "boundary: A=randn[9,7]@strided full_matrices=false",
               "boundary: A=randn[9,7]@scale(1e-4) full_matrices=false",
               "boundary: A=randn[9,7]@shift(100)",
               "boundary: A=randn[2,3,5,4] full_matrices=false",
               "boundary: A=randn[9,7] full_matrices=false *",
           },
       .perf = {"A=randn[250,64,8] full_matrices=false", "A=randn[192,192] full_matrices=false"},
       .perf_gpu = {"A=randn[1024,32,32] full_matrices=false", "A=randn[128,96] full_matrices=false"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         at::Tensor matrix = a.tensor("A");
         double elements = static_cast<double>(matrix.numel()),
                small = static_cast<double>(std::min(matrix.size(-2), matrix.size(-1)));
         return {traffic(a, out), 22 * elements * small};
       },
       .deviation =
           "The published test compares singular vectors with one library's signs. Here residual, orthogonality and order "
           "count, and every valid decomposition passes."},
  };
  return tasks;
}

}  // namespace kbx
