// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/kl_div.h>
#include <ATen/ops/nll_loss_nd.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/loss/reduction.h"

namespace kbx {
namespace {

double elements(const Args& a) { return static_cast<double>(a.tensor("input").numel()); }

// The judge moves inputs a little, and a probability beyond 1 ends a GPU's context.
at::Tensor probabilities(const at::Tensor& t) { return at::clamp(t, 0, 1); }

Values binary_cross_entropy(const Args& a) {
  return {at::binary_cross_entropy(probabilities(a.tensor("input")), probabilities(a.tensor("target")), a.maybe_tensor("weight"),
                                   reduction_named(a.text("reduction")))};
}

Values kl_div(const Args& a) {
  at::Tensor input = a.tensor("input"), target = a.tensor("target");
  const bool per_sample = a.text("reduction") == "batchmean";
  const int64_t reduction = per_sample ? at::Reduction::Sum : reduction_named(a.text("reduction"));
  at::Tensor loss = at::kl_div(input, target, reduction, a.flag("log_target"));
  return {per_sample && input.size(0) > 0 ? loss / input.size(0) : loss};
}

Values nll_loss(const Args& a) {
  return {at::nll_loss_nd(a.tensor("input"), a.tensor("target"), a.maybe_tensor("weight"), reduction_named(a.text("reduction")),
                          a.integer("ignore_index"))};
}

}  // namespace

std::span<const Task> probability_loss_family() {
  static const Task tasks[] = {
      {.id = "binary_cross_entropy",
       .category = Category::loss,
       .difficulty = 2,
       .schema = "binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, str reduction='mean') -> Tensor",
       .summary =
           "Binary cross entropy between probabilities and targets of the same shape, both in [0, 1]. Both logarithms are at "
           "least -100, so that 0 and 1 give numbers; log(1 - x) is accurate for small x too. `weight`, which broadcasts, "
           "multiplies each element's loss. reduction 'none' keeps the elements, 'sum' adds them, 'mean' divides the sum by "
           "the number of elements, whatever they weigh; nothing has a mean of NaN.",
       .math = "l = -w * (y * max(log(x), -100) + (1 - y) * max(log(1 - x), -100)), w = 1 without weight",
       .reference = binary_cross_entropy,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=uniform(0.02,0.98)[M,N]@fixed target=uniform[M,N]@fixed reduction=none",
               "standard: N=1000..4095 input=uniform(0.02,0.98)[N]@fixed target=bernoulli(0.5)[N]:f32",
               "standard: M=17..70 N=65..300 input=uniform(0.02,0.98)[M,N]@fixed target=uniform[M,N]@fixed "
               "weight=uniform(0.5,2)[M,N]",
               "standard: N=1000..4095 input=uniform(0.02,0.98)[3,N]@fixed target=uniform[3,N]@fixed weight=uniform(0.5,2)[N] "
               "reduction=sum",
               "outlier: input=uniform[33,67]@outlier10@clamp(0,1) target=uniform[33,67]@outlier10@clamp(0,1) reduction=none",
               "outlier: input=uniform[33,67]@outlier50@clamp(0,1) target=uniform[33,67]@outlier50@clamp(0,1)",
               "boundary: N=33..90 input=uniform(0.02,0.98)[33,N]@transposed target=uniform[33,N] reduction=none",
               "boundary: N=33..90 input=uniform(0.02,0.98)[33,N]@strided target=uniform[33,N]@strided "
               "weight=uniform(0.5,2)[33,N]@strided reduction=mean",
               "boundary: N=60001..65500 input=uniform(0.02,0.98)[N] target=uniform[N] reduction=none",
               "boundary: input=loguniform(1e-30,1e-3)[513] target=zeros[513] reduction=none",
               "boundary: input=loguniform(1e-7,1e-2)[513]@scale(-1)@shift(1) target=ones[513] reduction=none",
               "boundary: input=loguniform(1e-30,1e-3)[513] target=uniform[513] reduction=none",
               "boundary: input=values(0,1,0,1,0,1,0.5) target=values(0,1,1,0,0.5,0.5,0.5) reduction=none",
               "boundary: input=values(0,0,1) target=values(1,0,1) reduction=sum",
               "boundary: input=uniform(0.4999,0.5001)[513] target=uniform[513] reduction=none",
               "boundary: input=uniform[9,33] target=uniform[9,33] weight=uniform(0.5,2)[9,1] reduction=none",
               "boundary: input=uniform[9,33] target=uniform[9,33] weight=zeros[9,33]@poke(7)",
               "boundary: input=uniform[0] target=uniform[0] reduction=none",
               "boundary: input=uniform[0] target=uniform[0]",
               "boundary: input=uniform[0] target=uniform[0] reduction=sum",
               "boundary: input=uniform[1] target=uniform[1]",
               "boundary: input=uniform[] target=uniform[]",
               "boundary: input=uniform[257]@offset target=uniform[257]@offset reduction=none",
               "boundary: input=uniform[9,33]@expanded target=uniform[9,33] reduction=none",
               "boundary: input=uniform[65] target=uniform[65] weight=ones[65]@poke(nan,inf) reduction=none",
               "boundary: input=uniform(0.1,0.9)[65]:f64 target=uniform[65]:f64",
               "boundary: * input=uniform[33] target=uniform[33]",
               "boundary: input=uniform[33] target=uniform[33] weight=uniform[33] reduction=none *",
           },
       .perf = {"input=uniform(0.01,0.99)[262144] target=uniform[262144]",
                "input=uniform(0.01,0.99)[383,1025] target=uniform[383,1025] weight=uniform[383,1025] reduction=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * elements(a)};
       },
       .deviation = "The published random cases stay away from 0 and 1; here they occur, with the logarithms held at -100 as in "
                    "the library that it compares with."},
      {.id = "kl_div",
       .category = Category::loss,
       .difficulty = 3,
       .schema = "kl_div(Tensor input, Tensor target, str reduction='batchmean', bool log_target=False) -> Tensor",
       .summary =
           "Kullback-Leibler divergence of distributions, the input as logarithms of probabilities, the target as probabilities "
           "or, with log_target=True, as logarithms as well. A target of probability 0 counts 0 for a finite input. reduction: "
           "'none' keeps the elements, 'sum' adds them, 'batchmean' (the default) divides the sum by the size of the first "
           "dimension, 'mean' by the number of elements.",
       .math = "l = y * (log(y) - x), with log_target exp(y) * (y - x)",
       .reference = kl_div,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=uniform(-8,0)[M,N] target=uniform[M,N]",
               "standard: M=17..70 N=65..300 input=uniform(-8,0)[M,N] target=uniform[M,N] reduction=none",
               "standard: M=17..70 N=33..90 input=uniform(-8,0)[M,N]@fixed target=uniform(-8,0)[M,N]@fixed log_target=true",
               "standard: N=1000..4095 input=uniform(-8,0)[3,N] target=uniform[3,N] reduction=mean",
               "standard: N=1000..4095 input=uniform(-8,0)[3,N]@fixed target=uniform(-8,0)[3,N]@fixed reduction=none "
               "log_target=true",
               "standard: M=17..70 N=33..90 input=uniform(-8,0)[M,N] target=uniform(-8,0)[M,N]@fixed reduction=sum "
               "log_target=true",
               "boundary: N=33..90 input=uniform(-8,0)[33,N]@transposed target=uniform[33,N] reduction=none",
               "boundary: N=33..90 input=uniform(-8,0)[33,N]@strided target=uniform[33,N]@strided reduction=sum",
               "boundary: N=60001..65500 input=uniform(-8,0)[N] target=uniform[N] reduction=none",
               "boundary: A=3..7 input=uniform(-8,0)[A,5,17] target=uniform[A,5,17]",
               "boundary: input=uniform(-8,0)[5,9] target=zeros[5,9]@poke(0.5,1) reduction=none",
               "boundary: input=uniform(-8,0)[513] target=loguniform(1e-30,1e-3)[513] reduction=none",
               "boundary: input=uniform(-1e-3,0)[513] target=uniform(0.999,1)[513] reduction=none",
               "boundary: input=uniform(-60,0)[513] target=uniform(-60,0)[513] log_target=true reduction=none",
               "boundary: input=randn[513]@scale(1e-4) target=randn[513]@scale(1e-4) log_target=true reduction=none",
               "boundary: input=randn[513]@shift(-1000) target=uniform[513] reduction=none",
               "boundary: input=uniform(-8,0)[0,5] target=uniform[0,5] reduction=none",
               "boundary: input=uniform(-8,0)[0,5] target=uniform[0,5] reduction=sum",
               "boundary: input=uniform(-8,0)[1,1] target=uniform[1,1]",
               "boundary: input=uniform(-8,0)[] target=uniform[] reduction=mean",
               "boundary: input=uniform(-8,0)[257]@offset target=uniform[257]@offset reduction=none",
               "boundary: input=uniform(-8,0)[9,33]@expanded target=uniform[9,33]",
               "boundary: input=values(-1,nan,-inf,-2) target=values(nan,0.5,0.5,0.25) reduction=none",
               "boundary: input=uniform(-8,0)[9,7]:f64 target=uniform[9,7]:f64 reduction=batchmean log_target=false",
               "boundary: * input=uniform(-8,0)[9,33] target=uniform[9,33]",
               "boundary: input=uniform(-8,0)[9,33] target=uniform(-8,0)[9,33] reduction=mean log_target=true *",
           },
       .perf = {"input=uniform(-8,0)[512,1025] target=uniform[512,1025]",
                "input=uniform(-8,0)[2047,1025] target=uniform(-8,0)[2047,1025] log_target=true",
                "input=uniform(-8,0)[1024,513] target=uniform[1024,513] reduction=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 11 * elements(a)};
       }},
      {.id = "nll_loss",
       .category = Category::loss,
       .difficulty = 2,
       .schema = "nll_loss(Tensor input, Tensor target, Tensor? weight=None, int ignore_index=-100, str reduction='mean') -> "
                 "Tensor",
       .summary =
           "Negative log likelihood of target classes (int64) under log-probabilities. Classes run along dimension 1 of the "
           "input "
           "(dimension 0 for a single sample); the target has the input's shape without them. Targets equal to ignore_index "
           "count for nothing; `weight` weighs each class. reduction 'none' keeps the losses in the target's shape, 'sum' adds "
           "them, 'mean' divides the sum by the weights that counted, and is NaN where none did.",
       .math = "l[i] = -weight[t] * x[i, t], t = target[i], weight[t] = 1 without weight; 0 where t = ignore_index\n"
               "mean: sum(l) / sum of weight[t] over the targets that count",
       .reference = nll_loss,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 C=5..60 input=uniform(-8,0)[M,C] target=randint(0,C)[M]",
               "standard: M=17..90 C=65..300 input=uniform(-8,0)[M,C] target=randint(0,C)[M] reduction=none",
               "standard: M=17..90 C=5..60 input=uniform(-8,0)[M,C] target=randint(0,C)[M] weight=uniform(0.5,2)[C]",
               "standard: M=1000..4095 input=uniform(-8,0)[M,9] target=randint(0,9)[M] weight=uniform(0.5,2)[9] reduction=sum",
               "standard: C=5..11 H=5..9 input=uniform(-8,0)[2,C,H,7] target=randint(0,C)[2,H,7]",
               "boundary: M=33..90 input=uniform(-8,0)[M,11]@transposed target=randint(0,11)[M]@strided reduction=sum",
               "boundary: input=uniform(-8,0)[33,11]@strided target=randint(0,11)[33] weight=uniform(0.5,2)[11]@strided",
               "boundary: input=uniform(-8,0)[33,7] target=randint(0,7)[33]@poke(-100,-100,-100)",
               "boundary: input=uniform(-8,0)[33,7] target=randint(0,7)[33] weight=uniform(0.5,2)[7] ignore_index=3",
               "boundary: input=uniform(-8,0)[33,7] target=randint(0,7)[33]@poke(-1,-1) ignore_index=-1 reduction=none",
               "boundary: input=uniform(-8,0)[2,5,3,7] target=randint(0,5)[2,3,7] weight=uniform(0.5,2)[5] ignore_index=2 "
               "reduction=none",
               "boundary: input=uniform(-8,0)[2,5,17] target=randint(0,5)[2,17] reduction=sum",
               "boundary: input=uniform(-8,0)[5,7] target=full(-100)[5]:i64",
               "boundary: input=uniform(-8,0)[5,7] target=full(-100)[5]:i64 reduction=sum",
               "boundary: input=uniform(-8,0)[7] target=randint(0,7)[]",
               "boundary: input=uniform(-8,0)[1,1] target=zeros[1]:i64",
               "boundary: input=uniform(-8,0)[0,5] target=randint(0,5)[0] reduction=none",
               "boundary: input=uniform(-8,0)[33,17]@offset target=randint(0,17)[33]@offset reduction=none",
               "boundary: input=randn[33,17]@scale(1e-4) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[257,7]@shift(1000) target=randint(0,7)[257]",
               "boundary: input=values(nan,-inf,inf,-1,-2,-3)[3,2] target=values(1,0,0):i64 reduction=none",
               "boundary: input=full(nan)[3,2] target=values(-100,-100,-100):i64 reduction=none",
               "boundary: input=uniform(-8,0)[9,7]:f64 target=randint(0,7)[9]",
               "boundary: * input=uniform(-8,0)[33,7] target=randint(0,7)[33]",
               "boundary: input=uniform(-8,0)[33,7] target=randint(0,7)[33] weight=none ignore_index=2 reduction=mean *",
           },
       .perf = {"input=uniform(-8,0)[786432,13] target=randint(0,13)[786432]",
                "input=uniform(-8,0)[655360,16] target=randint(0,16)[655360] weight=uniform[16] reduction=none"},
       .perf_gpu = {"input=uniform(-8,0)[1048576,19] target=randint(0,19)[1048576]",
                    "input=uniform(-8,0)[2097152,16] target=randint(0,16)[2097152] weight=uniform[16] reduction=none"},
       // One element of each row is used.
       .cost = [](const Args& a, const Values& out) -> Cost {
         at::Tensor input = a.tensor("input"), target = a.tensor("target");
         auto weight = a.maybe_tensor("weight");
         const double chosen = static_cast<double>(target.numel() * input.element_size());
         const double weights = weight ? static_cast<double>(weight->nbytes()) : 0;
         return {chosen + static_cast<double>(target.nbytes() + out.front().nbytes()) + weights,
                 2 * static_cast<double>(target.numel())};
       }},
  };
  return tasks;
}

}  // namespace kbx
