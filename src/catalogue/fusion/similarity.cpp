// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cosine_embedding_loss.h>
#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/div.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/loss/reduction.h"

namespace kbx {
namespace {

at::Tensor normalised(const at::Tensor& x) {
  return at::div(x, at::clamp_min(at::linalg_vector_norm(x, 2, at::IntArrayRef{1}, /*keepdim=*/true), 1e-12));
}

Values embedding_loss(const Args& a) {
  return {at::cosine_embedding_loss(normalised(a.tensor("input1")), normalised(a.tensor("input2")), a.tensor("target"),
                                    a.real("margin"), reduction_named(a.text("reduction")))};
}

// The published reference: 1 - target * cosine, and at least margin - cosine where there is a margin.
Values published_loss(const Args& a) {
  const at::Tensor cosine = at::cosine_similarity(normalised(a.tensor("input1")), normalised(a.tensor("input2")), 1, 1e-8);
  const double margin = a.real("margin");
  at::Tensor loss = at::mul(cosine, a.tensor("target")).neg().add(1);
  if (margin > 0) loss = at::maximum(loss, cosine.neg().add(margin));
  const int64_t reduction = reduction_named(a.text("reduction"));
  if (reduction == at::Reduction::None) return {loss};
  return {reduction == at::Reduction::Mean ? at::mean(loss) : at::sum(loss)};
}

}  // namespace

std::span<const Task> fused_similarity_family() {
  static const Task tasks[] = {
      {.id = "fused_cosine_embedding_loss_with_normalization",
       .category = Category::fusion,
       .difficulty = 3,
       .schema =
           "fused_cosine_embedding_loss_with_normalization(Tensor input1, Tensor input2, Tensor target, float margin=0, str "
           "reduction='mean') -> Tensor",
       .summary =
           "Divides the rows of input1 and input2 [n, d] by their Euclidean norms (by 1e-12 where the norm is less) and takes "
           "the cosine embedding loss of the pairs: with target 1 a pair loses 1 minus its cosine, with target -1 what its "
           "cosine exceeds margin by, if at all. target [n] holds integers or floats. reduction 'none' gives the n losses, "
           "'sum' their sum, 'mean' their sum over n. A row of zeros has cosine 0 with every other.",
       .math = "c = sum(a * b) / sqrt((sum(a^2) + 1e-12) (sum(b^2) + 1e-12)), a, b the normalised rows\n"
               "l = 1 - c for target 1, max(0, c - margin) for target -1",
       .reference = embedding_loss,
       .published = published_loss,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 N=65..300 input1=randn[M,N] input2=randn[M,N] target=values(1,-1,-1,1,1)[M]:i64 "
               "reduction=none",
               "standard: M=17..90 N=5..15 input1=randn[M,N] input2=randn[M,N] target=values(1,-1,-1)[M]:i64",
               "standard: M=17..90 N=5..15 input1=randn[M,N] input2=randn[M,N] target=values(-1,-1,1)[M]:i64 margin=0.25 "
               "reduction=sum",
               "standard: N=1000..4095 input1=randn[7,N] input2=randn[7,N] target=values(1,-1)[7]:i64 reduction=none",
               "standard: M=17..90 input1=randn[M,7] input2=randn[M,7] target=values(1,-1)[M] margin=0.5 reduction=none",
               "boundary: input1=randn[33,7] input2=randn[33,7] target=values(-1)[33]:i64 margin=0.5",
               "boundary: input1=randn[33,7] input2=randn[33,7] target=values(-1,-1,1)[33]:i64 margin=-0.3 reduction=none",
               "boundary: input1=randn[33,7] input2=randn[33,7] target=values(1)[33]:i64 reduction=sum",
               "boundary: input1=ones[3,7] input2=ones[3,7] target=values(1,-1,-1)[3]:i64 reduction=none",
               "boundary: input1=zeros[3,7] input2=randn[3,7] target=values(1,-1,-1)[3]:i64 reduction=none",
               "boundary: input1=randn[1,1] input2=randn[1,1] target=values(-1)[1]:i64",
               "boundary: input1=randn[0,5] input2=randn[0,5] target=zeros[0]:i64 reduction=none",
               "boundary: input1=randn[0,5] input2=randn[0,5] target=zeros[0]:i64 reduction=sum",
               "boundary: input1=randn[0,5] input2=randn[0,5] target=zeros[0]:i64",
               "boundary: input1=randn[9,17]@strided input2=randn[9,17]@transposed target=values(1,-1,-1)[9]:i64@strided "
               "reduction=none",
               "boundary: input1=randn[9,17]@offset input2=randn[9,17]@offset target=values(1,-1)[9]:i64",
               "boundary: input1=randn[9,17]@scale(1e-4) input2=randn[9,17] target=values(1,-1)[9]:i64 reduction=none",
               // Without the normalisation the 1e-12 beside the squares would show.
               "boundary: input1=randn[9,17]@scale(3e-7) input2=randn[9,17] target=values(1,-1)[9]:i64 reduction=none",
               "boundary: input1=randn[9,17]@shift(1000) input2=randn[9,17]@shift(1000) target=values(1,-1)[9]:i64 "
               "margin=0.5 reduction=none",
               "boundary: input1=randn[9,17]@poke(nan) input2=randn[9,17] target=values(1,-1)[9]:i64 reduction=none",
               "boundary: input1=randn[9,5] input2=randn[9,5] target=values(1,-1,-1)[9]:i64 margin=0.1 reduction=mean *",
               "boundary: * input1=randn[9,5] input2=randn[9,5] target=values(1,-1,-1)[9]:i64 margin=0.2 reduction=none",
           },
       .perf = {"input1=randn[4096,256] input2=randn[4096,256] target=values(1,-1)[4096]:i64",
                "input1=randn[8192,128] input2=randn[8192,128] target=values(1,-1)[8192]:i64 margin=0.5 reduction=none",
                "input1=randn[1023,1025] input2=randn[1023,1025] target=values(1,-1)[1023] reduction=sum"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * static_cast<double>(a.tensor("input1").numel())};
       },
       .deviation =
           "The published reference is another function than its text names: for target -1 it gives 1 + cosine, and with a "
           "margin at least margin - cosine whatever the target. Here it is the cosine embedding loss of the text."},
  };
  return tasks;
}

}  // namespace kbx
