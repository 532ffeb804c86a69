// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/batch_norm.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {

std::span<const Task> batch_norm_family() {
  static const Task tasks[] = {
      {.id = "batch_norm",
       .category = Category::normalization,
       .difficulty = 4,
       .schema = "batch_norm(Tensor input, Tensor(a!)? running_mean, Tensor(b!)? running_var, Tensor? weight=None, Tensor? "
                 "bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
       .summary = "Normalises each channel (dimension 1). In training by mean and biased variance of the batch, and the running "
                  "statistics, where given, move towards the batch's mean and unbiased variance in place; otherwise by the "
                  "running statistics, which stay as they are.",
       .math = "y = (x - mean) / sqrt(var + eps) * weight + bias\n"
               "training: running = (1 - momentum) * running + momentum * batch",
       .reference = [](const Args& a) -> Values {
         constexpr bool kCudnnEnabled = true;
         return {at::batch_norm(a.tensor("input"), a.maybe_tensor("weight"), a.maybe_tensor("bias"),
                                a.maybe_tensor("running_mean"), a.maybe_tensor("running_var"), a.flag("training"),
                                a.real("momentum"), a.real("eps"), kCudnnEnabled)};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: N=3..7 C=5..13 H=5..11 input=randn[N,C,H,7] running_mean=randn[C] running_var=uniform(0.5,2)[C]",
               "standard: N=3..7 C=5..13 H=5..11 input=randn[N,C,H,7] running_mean=zeros[C] running_var=ones[C] training=true",
               "standard: N=33..90 C=9..33 input=randn[N,C] running_mean=randn[C] running_var=uniform(0.5,2)[C] weight=randn[C] "
               "bias=randn[C]",
               "standard: C=5..13 L=65..300 input=randn[3,C,L] running_mean=randn[C] running_var=uniform(0.5,2)[C] "
               "weight=randn[C] bias=randn[C] training=true momentum=0.2",
               "boundary: C=5..13 H=5..11 input=randn[3,C,H,9]@transposed running_mean=none running_var=none weight=randn[C] "
               "training=true eps=1e-3",
               "boundary: input=randn[5,7,9]@strided running_mean=randn[7] running_var=uniform(0.5,2)[7] bias=randn[7] "
               "momentum=0.2 eps=1e-3",
               "boundary: input=randn[0,7,3] running_mean=randn[7] running_var=uniform(0.5,2)[7]",
               "boundary: input=randn[1,1] running_mean=zeros[1] running_var=ones[1]",
               "boundary: input=randn[2,1] running_mean=zeros[1] running_var=ones[1] training=true",
               "boundary: input=randn[5,7,9]@offset running_mean=randn[7]@offset running_var=uniform(0.5,2)[7] training=true",
               "boundary: input=randn[5,7,9]@scale(1e-4) running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: input=randn[5,7,9]@scale(1e-4) running_mean=zeros[7] running_var=zeros[7]",
               "boundary: input=randn[5,7,9]@shift(1000) running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: input=full(3)[5,7,9] running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: input=randn[5,7,9]@poke(nan) running_mean=zeros[7] running_var=ones[7]",
               "boundary: input=randn[5,7,9] running_mean=zeros[7] running_var=ones[7] training=true momentum=1.0",
               "boundary: input=randn[5,7,9] running_mean=zeros[7] running_var=ones[7] training=true momentum=0.0",
               "boundary: input=randn[5,7] running_mean=zeros[7] running_var=ones[7] weight=none bias=randn[7] training=true *",
           },
       .perf =
           {"input=randn[16,64,57,57] running_mean=zeros[64] running_var=ones[64] weight=randn[64] bias=randn[64]",
            "input=randn[8,64,41,41] running_mean=zeros[64] running_var=ones[64] weight=randn[64] bias=randn[64] training=true"},
       .perf_gpu =
           {"input=randn[32,64,112,113] running_mean=zeros[64] running_var=ones[64] weight=randn[64] bias=randn[64]",
            "input=randn[64,64,56,57] running_mean=zeros[64] running_var=ones[64] weight=randn[64] bias=randn[64] training=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 6 * outputs(out)};
       },
       .deviation = "The published test does not look at the running statistics; here training must update them, and evaluation "
                    "must not."},
  };
  return tasks;
}

}  // namespace kbx
