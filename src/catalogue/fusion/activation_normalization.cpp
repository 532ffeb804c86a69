// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/add.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

constexpr bool kCudnnEnabled = true;
constexpr std::string_view kStatistics =
    "The published test does not look at the running statistics; here training must update them, and evaluation must not.";

at::Tensor batch_normalized(const Args& a, std::string_view input) {
  return at::batch_norm(a.tensor(input), a.maybe_tensor("weight"), a.maybe_tensor("bias"), a.maybe_tensor("running_mean"),
                        a.maybe_tensor("running_var"), a.flag("training"), a.real("momentum"), a.real("eps"), kCudnnEnabled);
}

Values group_normalized(const Args& a) {
  const at::Tensor second = a.tensor("input2");
  const at::Tensor product = at::mul(at::add(a.tensor("input1"), second), second);
  return written(a, at::group_norm(product, a.integer("num_groups"), a.maybe_tensor("weight"), a.maybe_tensor("bias"),
                                   a.real("eps"), kCudnnEnabled));
}

}  // namespace

std::span<const Task> fused_activation_normalization_family() {
  static const Task tasks[] = {
      {.id = "fused_hardsigmoid_batch_norm",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_hardsigmoid_batch_norm(Tensor x, Tensor(a!)? running_mean, Tensor(b!)? running_var, Tensor? weight=None, "
                 "Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05, bool inplace=False) -> Tensor",
       .summary = "Batch normalisation of each channel (dimension 1), then the hard sigmoid. In training the mean and biased "
                  "variance of the batch normalise, and the running statistics, where given, move in place towards the batch's "
                  "mean and unbiased variance; otherwise the running statistics normalise and stay as they are. weight and bias "
                  "[channels] default to 1 and 0. inplace concerns an intermediate result only: x does not change.",
       .math = "n = (x - mean) / sqrt(var + eps) * weight + bias\n"
               "y = min(max(n + 3, 0), 6) / 6\n"
               "training: running = (1 - momentum) * running + momentum * batch",
       .reference = [](const Args& a) -> Values { return {at::hardsigmoid(batch_normalized(a, "x"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: N=3..7 C=5..13 H=5..11 x=randn[N,C,H,7] running_mean=randn[C] running_var=uniform(0.5,2)[C]",
               "standard: N=3..7 C=5..13 H=5..11 x=randn[N,C,H,7] running_mean=zeros[C] running_var=ones[C] training=true",
               "standard: C=5..13 L=65..300 x=randn[3,C,L] running_mean=randn[C] running_var=uniform(0.5,2)[C] weight=randn[C] "
               "bias=randn[C]",
               "standard: N=1000..4000 x=randn[N,3] running_mean=randn[3] running_var=uniform(0.5,2)[3] weight=randn[3] "
               "bias=randn[3] training=true momentum=0.2",
               "boundary: x=randn[3,5,7,9]@transposed running_mean=none running_var=none weight=randn[5] training=true eps=1e-3",
               "boundary: x=randn[5,7,9]@strided running_mean=randn[7] running_var=uniform(0.5,2)[7] bias=randn[7] eps=0.1",
               "boundary: x=randn[3,4,5] running_mean=none running_var=none raises",
               "boundary: x=randn[0,7,3] running_mean=randn[7] running_var=uniform(0.5,2)[7]",
               "boundary: x=randn[1,1] running_mean=zeros[1] running_var=ones[1]",
               "boundary: x=randn[2,1] running_mean=zeros[1] running_var=ones[1] training=true",
               "boundary: x=randn[5,7,9]@offset running_mean=randn[7]@offset running_var=uniform(0.5,2)[7] training=true",
               "boundary: x=randn[5,7,9]@scale(1e-4) running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: x=randn[5,7,9]@scale(1e-4) running_mean=zeros[7] running_var=zeros[7]",
               "boundary: x=randn[5,7,9]@shift(1000) running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: x=full(3)[5,7,9] running_mean=zeros[7] running_var=ones[7] bias=randn[7] training=true",
               "boundary: x=values(-9,-3.5,-2.5,2.5,3.5,9,0,1)[8,1] running_mean=zeros[1] running_var=ones[1]",
               "boundary: x=randn[5,7,9]@poke(nan) running_mean=zeros[7] running_var=ones[7]",
               "boundary: x=randn[5,7,9] running_mean=ones[7] running_var=ones[7] training=true momentum=1.0",
               "boundary: x=randn[5,7,9] running_mean=ones[7] running_var=ones[7] training=true momentum=0.0 inplace=true",
               "boundary: x=randn[5,7] running_mean=zeros[7] running_var=ones[7] weight=none bias=randn[7] training=true "
               "momentum=0.3 eps=1e-4 inplace=true *",
               "boundary: * x=randn[5,7,3] running_mean=zeros[7] running_var=ones[7] weight=randn[7]",
           },
       .perf = {"x=randn[16,64,57,57] running_mean=zeros[64] running_var=ones[64] weight=randn[64] bias=randn[64]",
                "x=randn[16,64,41,41] running_mean=zeros[64] running_var=ones[64] weight=randn[64] bias=randn[64] training=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * outputs(out)};
       },
       .deviation = kStatistics},

      {.id = "fused_sigmoid_batch_norm",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_sigmoid_batch_norm(Tensor input, Tensor(a!)? running_mean, Tensor(b!)? running_var, Tensor? weight=None, "
                 "Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
       .summary =
           "Batch normalisation of each channel (dimension 1), then the logistic function. In training the mean and biased "
           "variance of the batch normalise, and the running statistics, where given, move in place towards the batch's "
           "mean and unbiased variance; otherwise the running statistics normalise and stay as they are. weight and bias "
           "[channels] default to 1 and 0.",
       .math = "n = (x - mean) / sqrt(var + eps) * weight + bias\n"
               "y = 1 / (1 + exp(-n))\n"
               "training: running = (1 - momentum) * running + momentum * batch",
       .reference = [](const Args& a) -> Values { return {at::sigmoid(batch_normalized(a, "input"))}; },
       .contract = numeric(),
       .cases =
           {
               "standard: N=33..90 C=9..33 input=randn[N,C] running_mean=randn[C] running_var=uniform(0.5,2)[C]",
               "standard: N=33..90 C=9..33 input=randn[N,C] running_mean=zeros[C] running_var=ones[C] training=true",
               "standard: C=5..13 L=65..300 input=randn[3,C,L] running_mean=randn[C] running_var=uniform(0.5,2)[C] "
               "weight=randn[C] bias=randn[C]",
               "standard: N=1000..4000 input=randn[N,3] running_mean=randn[3] running_var=uniform(0.5,2)[3] weight=randn[3] "
               "bias=randn[3] training=true momentum=0.2",
               "boundary: input=randn[3,5,7,9]@transposed running_mean=none running_var=none weight=randn[5] training=true "
               "eps=1e-3",
               "boundary: input=randn[5,7,9]@strided running_mean=randn[7] running_var=uniform(0.5,2)[7] bias=randn[7] eps=0.1",
               "boundary: input=randn[3,4,5] running_mean=none running_var=none raises",
               "boundary: input=randn[0,7,3] running_mean=randn[7] running_var=uniform(0.5,2)[7]",
               "boundary: input=randn[1,1] running_mean=zeros[1] running_var=ones[1]",
               "boundary: input=randn[2,1] running_mean=zeros[1] running_var=ones[1] training=true",
               "boundary: input=randn[5,7,9]@offset running_mean=randn[7]@offset running_var=uniform(0.5,2)[7] training=true",
               "boundary: input=randn[5,7,9]@scale(1e-4) running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: input=randn[5,7,9]@scale(1e-4) running_mean=zeros[7] running_var=zeros[7]",
               "boundary: input=randn[5,7,9]@shift(1000) running_mean=zeros[7] running_var=ones[7] training=true",
               "boundary: input=full(3)[5,7,9] running_mean=zeros[7] running_var=ones[7] bias=randn[7] training=true",
               "boundary: input=linspace(-100,100)[41,1] running_mean=zeros[1] running_var=ones[1]",
               "boundary: input=randn[5,7,9]@poke(nan) running_mean=zeros[7] running_var=ones[7]",
               "boundary: input=randn[5,7,9] running_mean=ones[7] running_var=ones[7] training=true momentum=1.0",
               "boundary: input=randn[5,7,9] running_mean=ones[7] running_var=ones[7] training=true momentum=0.0",
               "boundary: input=randn[5,7] running_mean=zeros[7] running_var=ones[7] weight=none bias=randn[7] training=true "
               "momentum=0.3 eps=1e-4 *",
               "boundary: * input=randn[5,7,3] running_mean=zeros[7] running_var=ones[7] weight=randn[7]",
           },
       .perf = {"input=randn[4096,513] running_mean=zeros[513] running_var=ones[513] weight=randn[513] bias=randn[513]",
                "input=randn[64,128,257] running_mean=zeros[128] running_var=ones[128] weight=randn[128] bias=randn[128] "
                "training=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 14 * outputs(out)};
       },
       .deviation = kStatistics},

      {.id = "fused_add_mul_groupnorm",
       .category = Category::fusion,
       .difficulty = 2,
       .schema = "fused_add_mul_groupnorm(Tensor input1, Tensor input2, Tensor? weight, Tensor? bias, int num_groups, float "
                 "eps=1e-05, *, Tensor(a!)? out=None) -> Tensor",
       .summary =
           "Adds two tensors [batch, channels, ...], which broadcast with each other, multiplies the sum by the second, then "
           "group normalisation: the channels are cut into num_groups equal runs, and each run of each batch entry is "
           "normalised by its mean and biased variance, then scaled and shifted by weight and bias [channels], which "
           "default to 1 and 0 where None. Where out is given the result is written there and returned.",
       .math = "m = (input1 + input2) * input2\n"
               "y = (m - mean) / sqrt(var + eps) * weight[c] + bias[c]\n"
               "mean and var over the channels of a group and all further dimensions",
       .reference = group_normalized,
       .contract = numeric(),
       .cases =
           {
               "standard: N=2..5 H=5..9 W=5..9 input1=randn[N,6,H,W] input2=randn[N,6,H,W] weight=randn[6] bias=randn[6] "
               "num_groups=3",
               "standard: H=5..9 W=5..9 input1=randn[2,8,H,W] input2=randn[1,8,1,1] weight=randn[8] bias=randn[8] num_groups=2",
               "standard: L=1000..4000 input1=randn[2,4,L] input2=randn[2,4,L] weight=none bias=none num_groups=2",
               "standard: C=17..60 input1=randn[9,C,5] input2=randn[9,C,5] weight=randn[C] bias=randn[C] num_groups=1",
               "boundary: input1=randn[3,6,5] input2=randn[3,6,5] weight=randn[6] bias=none num_groups=6 eps=1e-3",
               "boundary: input1=randn[3,6,5]@scale(0.1) input2=randn[3,6,5] weight=none bias=randn[6] num_groups=2 eps=0.1",
               "boundary: input1=randn[9,12] input2=randn[9,12] weight=randn[12] bias=randn[12] num_groups=4",
               "boundary: input1=randn[1,6,1,5] input2=randn[3,6,7,5] weight=randn[6] bias=randn[6] num_groups=2",
               "boundary: input1=randn[3,6,5] input2=randn[5] weight=randn[6] bias=randn[6] num_groups=2",
               "boundary: input1=randn[3,6,5] input2=randn[3,6,5] weight=randn[6] bias=randn[6] num_groups=3 out=like",
               "boundary: input1=randn[0,6,5] input2=randn[0,6,5] weight=randn[6] bias=randn[6] num_groups=2",
               "boundary: input1=randn[1,1,1] input2=randn[1,1,1] weight=randn[1] bias=randn[1] num_groups=1",
               "boundary: input1=randn[3,5,7] input2=randn[3,5,7] weight=none bias=none num_groups=2 raises",
               "boundary: input1=randn[3,6,5]@offset input2=randn[3,6,5]@offset weight=randn[6]@offset bias=randn[6] "
               "num_groups=2",
               "boundary: input1=randn[3,6,5]@strided input2=randn[3,6,5]@transposed weight=randn[6]@strided bias=randn[6] "
               "num_groups=2",
               "boundary: input1=randn[3,6,5]@expanded input2=randn[3,6,5] weight=randn[6] bias=randn[6] num_groups=3",
               "boundary: input1=randn[3,6,5]@scale(0.01) input2=randn[3,6,5]@scale(0.01) weight=randn[6] bias=randn[6] "
               "num_groups=2",
               "boundary: input1=randn[3,6,35]@shift(1000) input2=randn[3,6,35] weight=randn[6] bias=randn[6] num_groups=2",
               "boundary: input1=randn[3,6,35]@shift(100) input2=randn[3,6,35]@shift(10) weight=randn[6] bias=randn[6] "
               "num_groups=2",
               "boundary: input1=randn[3,6,5]@poke(nan) input2=randn[3,6,5] weight=randn[6] bias=randn[6] num_groups=3",
               "boundary: input1=randn[3,6,5] input2=randn[3,6,5] weight=randn[6] bias=randn[6] num_groups=2 eps=1e-4 *",
               "boundary: * input1=randn[3,6,5] input2=randn[3,6,5] weight=randn[6] bias=randn[6] num_groups=2",
           },
       .perf = {"input1=randn[8,64,65,65] input2=randn[8,64,65,65] weight=randn[64] bias=randn[64] num_groups=8",
                "input1=randn[16,64,48,49] input2=randn[16,64,48,49] weight=randn[64] bias=randn[64] num_groups=8"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 10 * outputs(out)};
       }},
  };
  return tasks;
}

}  // namespace kbx
