// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

// Divided by its norm of order p along dim, or by eps where that is larger.
at::Tensor normalized(const at::Tensor& x, double p, int64_t dim, double eps) {
  return x / at::linalg_vector_norm(x, p, dim, /*keepdim=*/true).clamp_min(eps);
}

Values pairwise_distance(const Args& a) {
  const at::Tensor difference = a.tensor("x1") - a.tensor("x2");
  const at::Tensor distance =
      at::linalg_vector_norm(difference, a.real("p_distance"), -1, a.flag("keepdim")) + a.real("eps_distance");
  return {normalized(distance, a.real("p_norm"), a.integer("dim_norm"), a.real("eps_norm"))};
}

Values cosine_similarity(const Args& a) {
  const double p = a.real("p_norm"), eps = a.real("eps_norm");
  const int64_t dim = a.integer("dim");
  return {at::cosine_similarity(normalized(a.tensor("x1"), p, dim, eps), normalized(a.tensor("x2"), p, dim, eps), dim,
                                a.real("eps_similarity"))};
}

double larger_input(const Args& a) { return static_cast<double>(std::max(a.tensor("x1").numel(), a.tensor("x2").numel())); }

}  // namespace

std::span<const Task> similarity_normalization_family() {
  static const Task tasks[] = {
      {.id = "normalize_pairwise_distance",
       .category = Category::normalization,
       .difficulty = 3,
       .schema = "normalize_pairwise_distance(Tensor x1, Tensor x2, float p_distance=2.0, float eps_distance=1e-06, bool "
                 "keepdim=False, float p_norm=2, int dim_norm=1, float eps_norm=1e-12) -> Tensor",
       .summary =
           "Distances between vectors, normalised. The last dimension of x1 and x2, of one shape, holds the vectors; the "
           "distance is the norm of order p_distance (1, 2, infinity, any positive number) of x1 - x2, plus eps_distance, which "
           "is added to the norm and not to the differences. keepdim keeps the last dimension with size 1. Then the tensor of "
           "distances is divided along its dimension dim_norm by its norm of order p_norm, or by eps_norm where that is larger. "
           "dim_norm counts the dimensions of the distances (from the end if negative), so that for matrices x1 and x2 the "
           "default 1 needs keepdim=True. Where a distance is NaN, so is all that is divided by a norm with it in it.",
       .math = "d = (sum over k of |x1[..., k] - x2[..., k]|^p_distance)^(1/p_distance) + eps_distance\n"
               "y = d / max((sum along dim_norm of d^p_norm)^(1/p_norm), eps_norm)",
       .reference = pairwise_distance,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 D=33..130 x1=randn[3,M,D] x2=randn[3,M,D]",
               "standard: M=17..60 D=33..130 x1=randn[M,D] x2=randn[M,D] p_distance=1.0 dim_norm=0",
               "standard: M=5..13 D=17..60 x1=randn[M,7,D] x2=randn[M,7,D] dim_norm=0 p_norm=1",
               "standard: D=1000..4095 x1=randn[7,D] x2=randn[7,D] keepdim=true dim_norm=-2",
               "boundary: M=17..40 D=17..60 x1=randn[2,M,D]@transposed x2=randn[2,M,D]@strided dim_norm=-1",
               "boundary: x1=randn[5,9,17] x2=randn[5,9,17] p_distance=inf",
               "boundary: x1=randn[5,9,17] x2=randn[5,9,17] p_distance=3 p_norm=3",
               "boundary: x1=randn[5,9,17] x2=randn[5,9,17] p_norm=inf",
               "boundary: x1=randn[5,9,17] x2=randn[5,9,17] keepdim=true",
               "boundary: x1=randn[9,17] x2=randn[9,17] keepdim=true",
               "boundary: x1=randn[3,5,9,17] x2=randn[3,5,9,17] dim_norm=2 keepdim=true",
               "boundary: x1=values(1,2,3,4)[2,2] x2=values(1,2.5,2.5,4)[2,2] dim_norm=0",
               "boundary: x1=randn[3,9,17]@scale(1e-6) x2=randn[3,9,17]@scale(1e-6)",
               "boundary: x1=randn[3,9,17]@scale(1e-4) x2=randn[3,9,17]@scale(1e-4) p_distance=1 eps_distance=1e-3",
               "boundary: x1=full(3)[3,9,17] x2=full(3)[3,9,17]",
               "boundary: x1=full(3)[3,9,17] x2=full(3)[3,9,17] eps_distance=0.0",
               "boundary: x1=randn[3,9,17] x2=randn[3,9,17] eps_distance=0.5",
               "boundary: x1=randn[3,9,17]@scale(0.1) x2=randn[3,9,17]@scale(0.1) eps_norm=2.0",
               "boundary: x1=randn[3,9,17]@scale(1e-8) x2=randn[3,9,17]@scale(1e-8) eps_distance=0.0 eps_norm=1e-6",
               "boundary: x1=randn[3,9,17]@shift(1000) x2=randn[3,9,17]@shift(1000)",
               "boundary: x1=randn[1,1] x2=randn[1,1] dim_norm=0",
               "boundary: x1=randn[0,5,3] x2=randn[0,5,3]",
               "boundary: x1=randn[5,0,3] x2=randn[5,0,3]",
               "boundary: x1=randn[17] x2=randn[17] keepdim=true dim_norm=0",
               "boundary: x1=randn[3,9,17]@offset x2=randn[3,9,17]@offset",
               "boundary: x1=randn[3,9,17]@expanded x2=randn[3,9,17]",
               "boundary: x1=randn[3,9,17]@poke(nan) x2=randn[3,9,17]",
               "boundary: x1=randn[3,9,17]:f64 x2=randn[3,9,17]:f64",
               "boundary: x1=randn[3,9,17]:f16 x2=randn[3,9,17]:f16",
               "boundary: x1=randn[3,9,17] x2=randn[3,9,17] p_distance=1.0 *",
               "boundary: * x1=randn[3,9,17] x2=randn[3,9,17] eps_distance=0.1",
           },
       .perf = {"x1=randn[16,768,256] x2=randn[16,768,256]", "x1=randn[4096,257] x2=randn[4096,257] p_distance=1.0 dim_norm=0",
                "x1=randn[16,2048,65] x2=randn[16,2048,65]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 3 * larger_input(a) + 8 * outputs(out)};
       },
       .deviation =
           "The published reference adds eps_distance to the norm, the composition beside it to the differences; here it is "
           "added to the norm, and cases with small distances tell. The published examples print values that neither form "
           "gives."},

      {.id = "normalized_cosine_similarity",
       .category = Category::normalization,
       .difficulty = 3,
       .schema =
           "normalized_cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps_similarity=1e-08, float p_norm=2, float "
           "eps_norm=1e-12) -> Tensor",
       .summary =
           "Divides x1 and x2 along dim each by its norm of order p_norm (1, 2, infinity, any positive number), or by eps_norm "
           "where that is larger; then the cosine similarity of the two along dim: their dot product over the product of their "
           "2-norms, each of these not below eps_similarity. x1 and x2 broadcast; dim (from the end if negative) is reduced.",
       .math = "u = x1 / max(|x1|_p, eps_norm), v = x2 / max(|x2|_p, eps_norm)\n"
               "y = sum(u * v) / (max(|u|_2, eps_similarity) * max(|v|_2, eps_similarity))",
       .reference = cosine_similarity,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..60 N=65..300 x1=randn[M,N] x2=randn[M,N]",
               "standard: M=65..200 N=17..60 x1=randn[M,N] x2=randn[M,N] dim=0 p_norm=1",
               "standard: N=1000..4095 x1=randn[5,N] x2=randn[5,N] dim=-1",
               "standard: N=9..33 x1=randn[5,N,7] x2=randn[5,N,7]",
               "boundary: M=17..40 N=33..130 x1=randn[M,N]@transposed x2=randn[M,N]@strided p_norm=3",
               "boundary: x1=randn[9,65] x2=randn[1,65]",
               "boundary: x1=randn[1,65] x2=randn[9,65]",
               "boundary: x1=randn[9,65] x2=randn[9,65] p_norm=inf",
               "boundary: x1=randn[9,65] x2=randn[9,65] p_norm=1 eps_similarity=0.25",
               "boundary: x1=randn[9,65] x2=randn[9,65] eps_norm=20",
               "boundary: x1=randn[9,65] x2=randn[9,65] eps_norm=20 eps_similarity=0.5",
               "boundary: x1=randn[9,65] x2=randn[9,65]@scale(0.1) eps_norm=2 eps_similarity=0.6 p_norm=2",
               "boundary: x1=randn[9,65]@scale(1e-4) x2=randn[9,65]@scale(1e-4)",
               "boundary: x1=randn[9,65]@scale(1e-22) x2=randn[9,65]",
               "boundary: x1=zeros[9,65] x2=randn[9,65]",
               "boundary: x1=values(1,0,0,1)[2,2] x2=values(0,1,1,0)[2,2] p_norm=1",
               "boundary: x1=randn[9,65]@shift(1000) x2=randn[9,65]@shift(1000)",
               "boundary: x1=randn[9,65]@shift(1000) x2=randn[9,65]",
               "boundary: x1=randn[33] x2=randn[33] dim=0",
               "boundary: x1=randn[1,1] x2=randn[1,1]",
               "boundary: x1=randn[0,5] x2=randn[0,5]",
               "boundary: x1=randn[5,0] x2=randn[5,0]",
               "boundary: x1=randn[2,3,5,7] x2=randn[2,3,5,7] dim=-2",
               "boundary: x1=randn[9,65]@offset x2=randn[9,65]@offset",
               "boundary: x1=randn[9,65]@expanded x2=randn[9,65]",
               "boundary: x1=randn[9,65]@poke(nan) x2=randn[9,65]",
               "boundary: x1=randn[9,65]:f64 x2=randn[9,65]:f64",
               "boundary: x1=randn[9,65]:f16 x2=randn[9,65]:f16 p_norm=1",
               "boundary: x1=randn[9,65] x2=randn[9,65] dim=0 eps_similarity=0.01 *",
               "boundary: * x1=randn[9,65] x2=randn[9,65] dim=0",
           },
       .perf = {"x1=randn[1024,1024] x2=randn[1024,1024]", "x1=randn[1023,1025] x2=randn[1023,1025] p_norm=1",
                "x1=randn[1024,1025] x2=randn[1024,1025] dim=0"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 10 * larger_input(a)};
       }},
  };
  return tasks;
}

}  // namespace kbx
