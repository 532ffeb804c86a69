// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values reconstructed(const Args& a) {
  const auto [u, s, vh] = at::linalg_svd(a.tensor("A"), /*full_matrices=*/false);
  return {at::matmul(at::mul(u, s.unsqueeze(-2)), vh)};
}

}  // namespace

std::span<const Task> fused_reconstruction_family() {
  static const Task tasks[] = {
      {.id = "fused_svd_reconstruct",
       .category = Category::fusion,
       .difficulty = 5,
       .schema = "fused_svd_reconstruct(Tensor A) -> Tensor",
       .summary = "Singular value decomposition of a matrix A [m, n] and the product of its three factors, which gives A again "
                  "up to rounding, as a new tensor. The work of the decomposition and of the product is the candidate's.",
       .math = "A = U diag(S) Vh, Y = U diag(S) Vh",
       .reference = reconstructed,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..33 N=9..16 A=randn[M,N]",
               "standard: M=9..16 N=17..33 A=randn[M,N]",
               "standard: N=17..30 A=randn[N,N]",
               "standard: M=65..130 A=uniform[M,7]",
               "boundary: A=randn[1,1]",
               "boundary: A=randn[1,7]",
               "boundary: A=randn[7,1]",
               "boundary: A=values(1,2,3,4,5,6)[3,2]",
               "boundary: A=eye[7,7]@scale(-3)",
               "boundary: A=zeros[5,3]",
               "boundary: A=lowrank(2)[13,9]",
               "boundary: A=spd(0.01)[13,13]",
               "boundary: A=randn[0,5]",
               "boundary: A=randn[13,9]@strided",
               "boundary: A=randn[13,13]@transposed",
               "boundary: A=randn[13,9]@offset",
               "boundary: A=randn[13,9]@scale(1e-4)",
               "boundary: A=randn[13,9]@shift(1000)",
               "boundary: A=randn[13,9] *",
               "boundary: * A=randn[9,13]",
           },
       .perf = {"A=randn[192,192]", "A=randn[512,128]"},
       .perf_gpu = {"A=randn[128,128]", "A=randn[512,64]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const at::Tensor matrix = a.tensor("A");
         const double small = static_cast<double>(std::min(matrix.size(-2), matrix.size(-1)));
         return {traffic(a, out), 22 * static_cast<double>(matrix.numel()) * small};
       },
       .deviation =
           "A copy of A is the right result, in the published test as here: nothing in it shows that a decomposition took "
           "place. The judge reports what work was done, and no ranking should rest on this task's speedups."},
  };
  return tasks;
}

}  // namespace kbx
