// SPDX-License-Identifier: Apache-2.0
// Dropout behind a batched matrix product: each element of the result shows the element of the mask at its own place.
#include <ATen/ops/bmm.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/sub.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

at::Tensor product(const Args& a) { return at::bmm(a.tensor("input1"), a.tensor("input2")); }

Values activated(const Args& a, const at::Tensor& masked) { return written(a, at::gelu(masked, a.text("approximate"))); }

at::Tensor activated_norm(const Args& a) {
  return at::gelu(at::rms_norm(product(a), a.ints("normalized_shape"), {}, a.real("eps")), a.text("approximate"));
}

double share_dropped(const Args& a, std::string_view p) { return a.flag("training") ? a.real(p) : 0; }

Values into_out(const Args& a, const at::Tensor& masked) { return written(a, masked); }

Values less_other(const Args& a, const at::Tensor& masked) { return written(a, at::sub(masked, a.tensor("other"))); }

// The published reference does not subtract.
Values without_subtraction(const Args& a) {
  return written(a, at::dropout(activated_norm(a), share_dropped(a, "dropout_p"), /*train=*/true));
}

double product_flops(const Args& a, const Values& out) {
  return 2 * outputs(out) * static_cast<double>(a.tensor("input1").size(-1));
}

}  // namespace

std::span<const Task> fused_dropout_bmm_family() {
  static const Task tasks[] = {
      {.id = "fused_bmm_dropout_gelu",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_bmm_dropout_gelu(Tensor input1, Tensor input2, float p=0.5, bool training=True, bool inplace=False, str "
                 "approximate='none', *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Batched matrix product of input1 [b, n, m] and input2 [b, m, q], dropout of it (with probability p to zero, the "
           "others times 1/(1-p); nothing without training), then GELU, with the error function (approximate='none') or in its "
           "tanh form (approximate='tanh'). Any good generator will do; the same seed must repeat the mask and another seed "
           "must not. inplace concerns an intermediate result only: no argument changes. Where `out` is given the result is "
           "written there and returned. float32 means float32, not TF32.",
       .math = "z = input1 @ input2, d = z * m / (1 - p), m[i] = 1 with probability 1 - p, else 0, independent\n"
               "none: y = d / 2 * (1 + erf(d / sqrt(2)))\n"
               "tanh: y = d / 2 * (1 + tanh(sqrt(2 / pi) * (d + 0.044715 d^3)))",
       .reference = dropped_out,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = product, .probability = [](const Args& a) { return share_dropped(a, "p"); }, .after = activated},
       .cases =
           {
               "standard: N=17..30 M=33..60 P=33..60 input1=randn[3,N,M] input2=randn[3,M,P]@scale(0.15)",
               "standard: N=17..30 M=17..60 P=33..60 input1=randn[2,N,M] input2=randn[2,M,P]@scale(0.2) p=0.3 approximate=tanh",
               "standard: N=17..30 M=257..513 P=17..30 input1=randn[2,N,M] input2=randn[2,M,P]@scale(0.05) training=false",
               "standard: N=17..30 M=33..60 P=33..60 input1=randn[2,N,M]:f16 input2=randn[2,M,P]:f16@scale(0.15) p=0.2 "
               "approximate=tanh",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33]@scale(0.3) p=0",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33]@scale(0.3) p=1",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33]@scale(0.3) p=1 training=false approximate=tanh",
               "boundary: input1=randn[3,17,9] input2=randn[3,9,65]@scale(0.1) p=0.9 inplace=true",
               "boundary: input1=ones[2,33,9] input2=ones[2,9,33]@scale(0.125) p=0.4",  // no mask made of the values
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33]@scale(0.3) training=false out=like",
               "boundary: input1=randn[2,17,17] input2=randn[2,17,33]@scale(0.3) p=0.2 approximate=tanh out=like",
               "boundary: input1=randn[0,3,4] input2=randn[0,4,5]",
               "boundary: input1=randn[2,3,0] input2=randn[2,0,5]",
               "boundary: input1=randn[1,1,1] input2=randn[1,1,1]",
               "boundary: input1=randn[2,9,17]@strided input2=randn[2,17,33]@transposed training=false",
               "boundary: input1=randn[2,17,17]@offset input2=randn[2,17,33]@offset@scale(0.3) p=0.3",
               "boundary: input1=randn[2,9,17]@expanded input2=randn[2,17,33]@expanded training=false approximate=tanh",
               "boundary: input1=randn[2,9,17]@scale(1e-4) input2=randn[2,17,33]@scale(0.3) training=false",
               "boundary: input1=randn[2,9,17]@shift(1000) input2=randn[2,17,33]@scale(1e-3) training=false",
               "boundary: input1=randn[2,9,33] input2=randn[2,33,33] training=false",
               "boundary: input1=randn[2,9,17]:f16 input2=randn[2,17,33]:f16 training=false",
               "boundary: input1=randn[2,9,17]@poke(nan) input2=randn[2,17,33] training=false",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33]@scale(0.3) p=0.25 training=true inplace=true "
               "approximate=none "
               "*",
               "boundary: * input1=randn[2,9,17] input2=randn[2,17,33]@scale(0.3) p=0.2 approximate=tanh",
           },
       .perf = {"input1=randn[4,256,256] input2=randn[4,256,256]@scale(0.06)",
                "input1=randn[6,128,512]:f16 input2=randn[6,512,256]:f16@scale(0.04) p=0.2 approximate=tanh"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), product_flops(a, out) + 20 * outputs(out), Unit::matrix};
       },
       .deviation =
           "The published test demands the mask of one library's generator. Here the mask is read from the result, which must "
           "be right for it, and has to be independent with the stated keep rate and to follow the seed. `out` is written."},

      {.id = "fused_bmm_rmsnorm_gelu_dropout",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_bmm_rmsnorm_gelu_dropout(Tensor input1, Tensor input2, int[1] normalized_shape, float dropout_p=0.1, "
                 "float eps=1e-05, bool training=True, str approximate='none', *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Batched matrix product of input1 [b, n, m] and input2 [b, m, q], division by the root mean square over the last "
           "dimensions, whose sizes normalized_shape gives (eps is added to the mean square; there is no scale), then GELU, "
           "with the error function (approximate='none') or in its tanh form (approximate='tanh'), then dropout (with "
           "probability dropout_p to zero, the others times 1/(1-dropout_p); nothing without training). Any good generator "
           "will do; the same seed must repeat the mask and another seed must not. Where `out` is given the result is written "
           "there and returned. float32 means float32, not TF32.",
       .math = "z = input1 @ input2, r = z / sqrt(mean(z^2) + eps), y = gelu(r) * m / (1 - dropout_p)\n"
               "m[i] = 1 with probability 1 - dropout_p, else 0, independent",
       .reference = dropped_out,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = activated_norm,
                  .probability = [](const Args& a) { return share_dropped(a, "dropout_p"); },
                  .after = into_out},
       .cases =
           {
               "standard: N=17..30 M=33..60 P=33..60 input1=randn[3,N,M] input2=randn[3,M,P] normalized_shape=P",
               "standard: N=17..30 M=17..60 P=65..90 input1=randn[2,N,M] input2=randn[2,M,P] normalized_shape=P dropout_p=0.5 "
               "approximate=tanh",
               "standard: N=5..9 M=33..60 P=257..400 input1=randn[2,N,M] input2=randn[2,M,P] normalized_shape=P training=false",
               "standard: N=9..17 M=33..60 P=17..40 input1=randn[2,N,M] input2=randn[2,M,P] normalized_shape=[N,P] "
               "dropout_p=0.3",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] normalized_shape=33 dropout_p=0",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] normalized_shape=33 dropout_p=1",
               "boundary: input1=randn[2,9,33] input2=randn[2,33,33] normalized_shape=[33] dropout_p=1 training=false",
               "boundary: input1=randn[3,17,9] input2=randn[3,9,65] normalized_shape=65 dropout_p=0.9",
               "boundary: input1=ones[2,33,9] input2=ones[2,9,33] normalized_shape=33 dropout_p=0.4",  // no mask of the values
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] normalized_shape=33 training=false out=like",
               "boundary: input1=randn[2,17,17] input2=randn[2,17,33] normalized_shape=33 dropout_p=0.2 out=like",
               "boundary: input1=randn[2,9,17]@scale(1e-3) input2=randn[2,17,33] normalized_shape=33 training=false",
               "boundary: input1=randn[2,9,17]@scale(1e-4) input2=randn[2,17,33] normalized_shape=33 eps=1e-8 training=false",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] normalized_shape=33 eps=5 training=false approximate=tanh",
               "boundary: input1=zeros[2,9,17] input2=randn[2,17,33] normalized_shape=33 training=false",
               "boundary: input1=randn[0,3,4] input2=randn[0,4,5] normalized_shape=5",
               "boundary: input1=randn[1,1,1] input2=randn[1,1,1] normalized_shape=1",
               "boundary: input1=randn[2,9,17]@strided input2=randn[2,17,33]@transposed normalized_shape=33 training=false",
               "boundary: input1=randn[2,17,17]@offset input2=randn[2,17,33]@offset normalized_shape=33 dropout_p=0.3",
               "boundary: input1=randn[2,9,17]@expanded input2=randn[2,17,33]@expanded normalized_shape=[9,33] training=false",
               "boundary: input1=randn[2,9,17]@shift(1000) input2=randn[2,17,33] normalized_shape=33 training=false",
               "boundary: input1=randn[2,9,17]@poke(nan) input2=randn[2,17,33] normalized_shape=33 training=false",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] normalized_shape=33 dropout_p=0.25 eps=1e-5 training=true "
               "approximate=none *",
               "boundary: * input1=randn[2,9,17] input2=randn[2,17,33] normalized_shape=33 dropout_p=0.2 approximate=tanh",
           },
       .perf = {"input1=randn[4,256,256] input2=randn[4,256,256] normalized_shape=256",
                "input1=randn[8,128,512] input2=randn[8,512,256] normalized_shape=256 dropout_p=0.5 approximate=tanh"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), product_flops(a, out) + 24 * outputs(out), Unit::matrix};
       },
       .deviation =
           "The published test demands the mask of one library's generator. Here the mask is read from the result, which must "
           "be right for it, and has to be independent with the stated keep rate and to follow the seed. The text's learnable "
           "scale has no argument and is 1. `out` is written."},

      {.id = "fused_bmm_rmsnorm_gelu_dropout_sub",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_bmm_rmsnorm_gelu_dropout_sub(Tensor input1, Tensor input2, Tensor other, int[1] normalized_shape, float "
                 "dropout_p=0.5, bool training=True, str approximate='none', float eps=1e-05, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Batched matrix product of input1 [b, n, m] and input2 [b, m, q], division by the root mean square over the last "
           "dimensions, whose sizes normalized_shape gives (eps is added to the mean square; there is no scale), then GELU, "
           "with the error function (approximate='none') or in its tanh form (approximate='tanh'), then dropout (with "
           "probability dropout_p to zero, the others times 1/(1-dropout_p); nothing without training), and last `other` is "
           "subtracted, a tensor that broadcasts to the product's shape and is not dropped. Any good generator will do; the "
           "same seed must repeat the mask and another seed must not. Where `out` is given the result is written there and "
           "returned. float32 means float32, not TF32.",
       .math = "z = input1 @ input2, r = z / sqrt(mean(z^2) + eps), y = gelu(r) * m / (1 - dropout_p) - other\n"
               "m[i] = 1 with probability 1 - dropout_p, else 0, independent",
       .reference = dropped_out,
       .published = without_subtraction,
       .contract = stochastic(Distribution::dropout),
       .chance = {.before = activated_norm,
                  .probability = [](const Args& a) { return share_dropped(a, "dropout_p"); },
                  .after = less_other},
       .cases =
           {
               "standard: N=17..30 M=33..60 P=33..60 input1=randn[3,N,M] input2=randn[3,M,P] other=randn[3,N,P] "
               "normalized_shape=P",
               "standard: N=17..30 M=17..60 P=65..90 input1=randn[2,N,M] input2=randn[2,M,P] other=randn[P] normalized_shape=P "
               "dropout_p=0.1 approximate=tanh",
               "standard: N=5..9 M=33..60 P=257..400 input1=randn[2,N,M] input2=randn[2,M,P] other=randn[2,N,P] "
               "normalized_shape=P training=false",
               "standard: N=9..17 M=33..60 P=17..40 input1=randn[2,N,M] input2=randn[2,M,P] other=randn[N,1] "
               "normalized_shape=[N,P] dropout_p=0.3",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 dropout_p=0",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 dropout_p=1",
               "boundary: input1=randn[2,9,33] input2=randn[2,33,33] other=randn[] normalized_shape=[33] dropout_p=1 "
               "training=false",
               "boundary: input1=randn[3,17,9] input2=randn[3,9,65] other=randn[1,17,65] normalized_shape=65 dropout_p=0.9",
               "boundary: input1=ones[2,33,9] input2=ones[2,9,33] other=ones[1] normalized_shape=33 dropout_p=0.4",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 training=false "
               "out=like",
               "boundary: input1=randn[2,17,17] input2=randn[2,17,33] other=randn[2,17,33] normalized_shape=33 dropout_p=0.2 "
               "out=like",
               "boundary: input1=randn[2,9,17]@scale(1e-3) input2=randn[2,17,33] other=randn[2,9,33]@scale(0.1) "
               "normalized_shape=33 training=false",
               "boundary: input1=randn[2,9,17]@scale(1e-4) input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 "
               "eps=1e-8 training=false",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] other=randn[33] normalized_shape=33 eps=5 training=false "
               "approximate=tanh",
               "boundary: input1=zeros[2,9,17] input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 training=false",
               "boundary: input1=randn[0,3,4] input2=randn[0,4,5] other=randn[5] normalized_shape=5",
               "boundary: input1=randn[1,1,1] input2=randn[1,1,1] other=randn[1,1,1] normalized_shape=1",
               "boundary: input1=randn[2,9,17]@strided input2=randn[2,17,33]@transposed other=randn[2,9,33]@strided "
               "normalized_shape=33 training=false",
               "boundary: input1=randn[2,17,17]@offset input2=randn[2,17,33]@offset other=randn[2,17,33]@offset "
               "normalized_shape=33 dropout_p=0.3",
               "boundary: input1=randn[2,9,17]@shift(1000) input2=randn[2,17,33] other=randn[2,9,33]@shift(10) "
               "normalized_shape=33 training=false",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] other=randn[2,9,33]@poke(nan,inf) normalized_shape=33 "
               "training=false",
               "boundary: input1=randn[2,9,17] input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 dropout_p=0.25 "
               "training=true approximate=none eps=1e-5 *",
               "boundary: * input1=randn[2,9,17] input2=randn[2,17,33] other=randn[2,9,33] normalized_shape=33 "
               "approximate=tanh dropout_p=0.2",
           },
       .perf = {"input1=randn[4,256,256] input2=randn[4,256,256] other=randn[4,256,256] normalized_shape=256",
                "input1=randn[8,128,512] input2=randn[8,512,256] other=randn[256] normalized_shape=256 dropout_p=0.1 "
                "approximate=tanh"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), product_flops(a, out) + 25 * outputs(out), Unit::matrix};
       },
       .deviation =
           "The published reference never subtracts other, which its text and formula do; here it is subtracted. The published "
           "test demands the mask of one library's generator. Here the mask is read from the result, which must be right for "
           "it, and has to be independent with the stated keep rate and to follow the seed. `out` is written."},
  };
  return tasks;
}

}  // namespace kbx
