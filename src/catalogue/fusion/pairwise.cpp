// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/cdist.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/div.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/sub.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values pooled_distance(const Args& a) {
  const auto size = a.ints("output_size");
  const at::Tensor difference =
      at::sub(at::adaptive_avg_pool2d(a.tensor("x1"), size), at::adaptive_avg_pool2d(a.tensor("x2"), size));
  return {at::linalg_vector_norm(difference, a.real("p"), at::IntArrayRef{1, 2, 3}, a.flag("keepdim")).add(a.real("eps"))};
}

at::Tensor normalised(const Args& a, std::string_view name) {
  const at::Tensor x = a.tensor(name), norm = at::linalg_vector_norm(x, a.real("p_norm"), at::IntArrayRef{-1}, /*keepdim=*/true);
  return at::div(x, at::clamp_min(norm, a.real("eps_norm")));
}

Values distances(const Args& a) {
  constexpr int64_t kByDifferences = 2;  // not by |x|^2 + |y|^2 - 2 x y, which cancels
  const at::Tensor all = at::cdist(normalised(a, "x1"), normalised(a, "x2"), a.real("p_norm"), kByDifferences);
  const at::Tensor bounded = at::clamp_min(all, a.real("eps_distance"));
  return {a.flag("keepdim") ? bounded.unsqueeze(-1) : bounded};
}

double elements(const Args& a, std::string_view name) { return static_cast<double>(a.tensor(name).numel()); }

}  // namespace

std::span<const Task> fused_pairwise_family() {
  static const Task tasks[] = {
      {.id = "fused_pairwise_distance_adaptive_avg_pool2d",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_pairwise_distance_adaptive_avg_pool2d(Tensor x1, Tensor x2, int[2] output_size, float p=2.0, float "
                 "eps=1e-06, bool keepdim=False) -> Tensor",
       .summary =
           "Adaptive average pooling of two batches of images [N, C, H, W] to output_size, then for each image one distance: "
           "the p-norm of the difference over channels, rows and columns together, to which eps is added. The result has shape "
           "[N], with keepdim [N, 1, 1, 1]. A pooling window i of n out of H rows goes from floor(i H / n) to "
           "ceil((i + 1) H / n) - 1; columns likewise.",
       .math = "d = pool(x1) - pool(x2), y[n] = (sum over c, i, j of |d[n, c, i, j]|^p)^(1/p) + eps",
       .reference = pooled_distance,
       .contract = numeric(),
       .cases =
           {
               "standard: H=9..17 W=9..17 x1=randn[3,3,H,W] x2=randn[3,3,H,W] output_size=[4,4]",
               "standard: H=17..30 x1=randn[2,3,H,H] x2=randn[2,3,H,H] output_size=8 p=1 keepdim=true",
               "standard: C=9..20 W=9..15 x1=randn[2,C,11,W] x2=randn[2,C,11,W] output_size=[3,5] p=3",
               "standard: W=33..65 x1=randn[17,2,7,W] x2=randn[17,2,7,W] output_size=[2,7] eps=0.5",
               "boundary: x1=randn[2,3,8,9] x2=randn[2,3,8,9] output_size=[8,9]",
               "boundary: x1=randn[2,3,5,7] x2=randn[2,3,5,7] output_size=[7,9]",
               "boundary: x1=randn[2,3,5,7] x2=randn[2,3,5,7] output_size=1 p=2.5",
               "boundary: x1=randn[2,3,5,7] x2=randn[2,3,5,7] output_size=[2,3] eps=0",
               "boundary: x1=randn[2,3,5,7] x2=randn[2,3,5,7] output_size=[2,3] p=0.5 eps=1e-3",
               "boundary: x1=ones[2,3,5,7] x2=ones[2,3,5,7] output_size=[2,3]",
               "boundary: x1=zeros[2,3,5,7] x2=randn[2,3,5,7]@scale(1e-4) output_size=[2,3] eps=0.01 keepdim=true",
               "boundary: x1=randn[1,1,1,1] x2=randn[1,1,1,1] output_size=1",
               "boundary: x1=randn[0,3,5,7] x2=randn[0,3,5,7] output_size=2",
               "boundary: x1=randn[2,3,7,9]@strided x2=randn[2,3,7,9]@transposed output_size=[3,4]",
               "boundary: x1=randn[2,3,7,9]@offset x2=randn[2,3,7,9]@offset output_size=[3,4] p=1",
               "boundary: x1=randn[2,3,7,9]@expanded x2=randn[2,3,7,9] output_size=[3,4]",
               "boundary: x1=randn[2,3,7,9]@scale(1e-4) x2=randn[2,3,7,9]@scale(1e-4) output_size=[3,4]",
               "boundary: x1=randn[2,3,7,9]@shift(100) x2=randn[2,3,7,9]@shift(100) output_size=[3,4]",
               "boundary: x1=randn[2,3,7,9]@poke(nan) x2=randn[2,3,7,9] output_size=[3,4]",
               "boundary: x1=randn[2,3,7,9] x2=randn[2,3,7,9] output_size=[3,4] p=2.0 eps=1e-6 keepdim=true *",
               "boundary: * x1=randn[2,3,7,9] x2=randn[2,3,7,9] output_size=[3,4] p=1 eps=1e-3",
           },
       .perf = {"x1=randn[8,8,128,129] x2=randn[8,8,128,129] output_size=[7,7] p=1",
                "x1=randn[16,3,128,128] x2=randn[16,3,128,128] output_size=[64,64]"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const auto size = a.ints("output_size");
         const at::Tensor x = a.tensor("x1");
         const double pooled = static_cast<double>(x.size(0) * x.size(1) * size.front() * size.back());
         return {traffic(a, out), elements(a, "x1") + elements(a, "x2") + 4 * pooled};
       },
       .deviation =
           "The published text names a distance along the last dimension with eps inside the norm, and its example has a third "
           "shape; its reference takes one norm over channels, rows and columns and adds eps behind it. So does this task, and "
           "says so."},

      {.id = "fused_pairwise_distance_normalize",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_pairwise_distance_normalize(Tensor x1, Tensor x2, float p_norm=2.0, float eps_norm=1e-12, float "
                 "eps_distance=1e-06, bool keepdim=False) -> Tensor",
       .summary =
           "Divides each row of x1 [n, d] and of x2 [m, d] by its p-norm (p is p_norm), or by eps_norm where that is larger, "
           "and gives the distance of every row of x1 from every row of x2: the p-norm of their difference, with the same p, "
           "or eps_distance where that is larger. The result has shape [n, m], with keepdim [n, m, 1]. Rows may lie close "
           "together: the distance is that of the differences, not a difference of products.",
       .math = "a = x1 / max(|x1|_p, eps_norm), b = x2 / max(|x2|_p, eps_norm), norms over rows\n"
               "y[i, j] = max(|a[i] - b[j]|_p, eps_distance)",
       .reference = distances,
       .contract = numeric(),
       .cases =
           {
               "standard: N=17..40 M=17..40 D=65..130 x1=randn[N,D] x2=randn[M,D]",
               "standard: N=17..40 M=17..40 D=17..60 x1=randn[N,D] x2=randn[M,D] p_norm=1 keepdim=true",
               "standard: D=1000..3000 x1=randn[7,D] x2=randn[9,D]",
               "standard: N=9..20 M=33..60 D=5..11 x1=randn[N,D] x2=randn[M,D] p_norm=3",
               "boundary: x1=randn[9,17] x2=randn[9,17] eps_distance=1.3",
               "boundary: x1=randn[9,17] x2=randn[7,17] eps_norm=5",
               "boundary: x1=randn[9,17]@scale(1e-4) x2=randn[7,17] eps_norm=1e-3",
               "boundary: x1=randn[9,17]@scale(1e-4) x2=randn[7,17]@scale(1e-4)",
               "boundary: x1=randn[9,17] x2=randn[7,17] p_norm=1.5",
               "boundary: x1=ones[3,17] x2=ones[5,17]",
               "boundary: x1=zeros[3,17] x2=randn[5,17]",
               "boundary: x1=zeros[3,17] x2=zeros[5,17] eps_distance=0.25",
               "boundary: x1=randn[33,17]@shift(1000) x2=randn[29,17]@shift(1000)",
               "boundary: x1=randn[1,1] x2=randn[1,1]",
               "boundary: x1=randn[0,5] x2=randn[3,5]",
               "boundary: x1=randn[9,17]@strided x2=randn[7,17]@transposed",
               "boundary: x1=randn[9,17]@offset x2=randn[7,17]@offset keepdim=true",
               "boundary: x1=randn[9,17]@expanded x2=randn[7,17] p_norm=1",
               "boundary: x1=randn[9,17]@poke(nan) x2=randn[7,17]",
               "boundary: x1=randn[9,17] x2=randn[7,17] p_norm=2.0 eps_norm=1e-10 eps_distance=1e-6 keepdim=false *",
               "boundary: * x1=randn[9,17] x2=randn[7,17] p_norm=1 eps_distance=0.5",
           },
       .perf = {"x1=randn[512,128] x2=randn[512,128]", "x1=randn[511,65] x2=randn[513,65] p_norm=1",
                "x1=randn[128,1025] x2=randn[128,1025] keepdim=true"},
       .perf_gpu = {"x1=randn[4096,128] x2=randn[4096,128]", "x1=randn[2047,257] x2=randn[2049,257] p_norm=1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         const double length = static_cast<double>(a.tensor("x1").size(-1));
         return {traffic(a, out), 3 * outputs(out) * length + 6 * (elements(a, "x1") + elements(a, "x2"))};
       },
       .deviation =
           "The published text reads like one distance for each pair of rows with the same index; its reference gives all pairs, "
           "with eps_distance as a lower bound. So does this task, and says so."},
  };
  return tasks;
}

}  // namespace kbx
