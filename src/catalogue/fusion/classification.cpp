// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/loss/reduction.h"
#include "catalogue/write_out.h"

namespace kbx {
namespace {

at::Tensor entropy(const Args& a, const at::Tensor& scores, std::string_view target) {
  return at::cross_entropy_loss(scores, a.tensor(target), a.maybe_tensor("weight"), reduction_named(a.text("reduction")),
                                a.integer("ignore_index"), a.real("label_smoothing"));
}

Values entropy_of_log_softmax(const Args& a) {
  return {entropy(a, at::log_softmax(a.tensor("input"), a.integer("dim")), "target")};
}

Values entropy_and_norm(const Args& a) {
  const at::Tensor logits = a.tensor("logits");
  const at::Tensor norm = at::layer_norm(at::softmax(logits, 1), a.ints("normalized_shape"), {}, {}, a.real("eps"));
  return {entropy(a, logits, "targets"), written(a, norm).front()};
}

}  // namespace

std::span<const Task> fused_classification_family() {
  static const Task tasks[] = {
      {.id = "fused_cross_entropy_log_softmax",
       .category = Category::fusion,
       .difficulty = 4,
       .schema = "fused_cross_entropy_log_softmax(Tensor input, Tensor target, int dim=1, Tensor? weight=None, int "
                 "ignore_index=-100, str reduction='mean', float label_smoothing=0.0) -> Tensor",
       .summary =
           "Log-softmax of `input` [N, C] or [N, C, ...] along dim, then the cross entropy of that as scores, whose classes run "
           "along dimension 1 and which takes their log-softmax once more (which changes nothing where dim is 1). target holds "
           "class indices [N] or [N, ...], or probabilities of the classes, floats of the input's shape. Indices equal to "
           "ignore_index count for nothing; `weight` [C] weighs each class. label_smoothing e makes the target (1 - e) times "
           "itself plus e/C for every class. reduction 'none' gives a loss for each sample, 'sum' their sum; 'mean' divides "
           "that by the sum of weight[t] over the indices that count, for probabilities by the number of samples.",
       .math = "s = log_softmax(log_softmax(input, dim), 1), q = (1 - e) onehot(target) + e / C\n"
               "l[i] = -sum over c of weight[c] q[i, c] s[i, c]; 0 where target = ignore_index",
       .reference = entropy_of_log_softmax,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 C=5..60 input=randn[M,C] target=randint(0,C)[M]",
               "standard: M=17..90 C=65..300 input=randn[M,C] target=randint(0,C)[M] label_smoothing=0.1 reduction=none",
               "standard: M=17..90 C=5..60 input=randn[M,C] target=randint(0,C)[M] weight=uniform(0.5,2)[C]@fixed reduction=sum",
               "standard: C=1000..4095 input=randn[7,C] target=randint(0,C)[7] reduction=none",
               "standard: M=17..60 C=5..60 input=randn[M,C] target=uniform(0,0.1)[M,C] reduction=none",
               "standard: M=17..60 C=17..60 input=randn[M,C] target=randint(0,C)[M] dim=0 reduction=none",
               "boundary: input=randn[2,7,5] target=randint(0,7)[2,5] reduction=none",
               "boundary: input=randn[2,7,5,3] target=randint(0,7)[2,5,3] dim=-1 reduction=sum",
               "boundary: input=randn[33,7] target=randint(0,7)[33] dim=-1 label_smoothing=0.3 reduction=sum",
               "boundary: input=randn[33,7] target=randint(0,7)[33] weight=uniform(0.5,2)[7] label_smoothing=0.2",
               "boundary: input=randn[33,7] target=uniform(0,0.3)[33,7] weight=uniform(0.5,2)[7] label_smoothing=0.2",
               "boundary: input=randn[33,7] target=randint(0,7)[33]@poke(-100,-100,-100)",
               "boundary: input=randn[33,7] target=randint(0,7)[33] weight=uniform(0.5,2)[7] ignore_index=3",
               "boundary: input=randn[33,7] target=randint(0,7)[33]@poke(-1,-1) ignore_index=-1 reduction=none",
               "boundary: input=randn[5,7] target=full(-100)[5]:i64",
               "boundary: input=randn[5,7] target=full(-100)[5]:i64 reduction=sum",
               "boundary: input=randn[1,1] target=zeros[1]:i64",
               "boundary: input=randn[0,5] target=randint(0,5)[0] reduction=none",
               "boundary: input=randn[33,17]@transposed target=randint(0,17)[33]@strided reduction=none",
               "boundary: input=randn[33,17]@strided target=randint(0,17)[33] dim=0 reduction=none",
               "boundary: input=randn[33,17]@offset target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[33,17]@scale(1e-4) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[33,17]@shift(1000) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[33,17]@scale(50) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[9,17]@poke(nan) target=randint(0,17)[9] reduction=none",
               "boundary: input=randn[33,7] target=randint(0,7)[33] dim=1 weight=none ignore_index=2 reduction=none "
               "label_smoothing=0.1 *",
               "boundary: * input=randn[33,7] target=randint(0,7)[33] reduction=sum",
           },
       .perf = {"input=randn[8192,128] target=randint(0,128)[8192]", "input=randn[2048,1000] target=randint(0,1000)[2048] dim=-1",
                "input=randn[64,32000] target=randint(0,32000)[64] reduction=none label_smoothing=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * static_cast<double>(a.tensor("input").numel())};
       },
       .deviation = "The published calls leave dim at 1, where the first log-softmax makes no difference; here dim is varied."},

      {.id = "fused_cross_entropy_softmax_layernorm",
       .category = Category::fusion,
       .difficulty = 3,
       .schema = "fused_cross_entropy_softmax_layernorm(Tensor logits, Tensor targets, int[1] normalized_shape, Tensor? "
                 "weight=None, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0, float eps=1e-05, *, "
                 "Tensor(a!)? out=None) -> (Tensor loss, Tensor output)",
       .summary =
           "Two results for logits [N, C] or [N, C, ...]. `loss` is their cross entropy with targets: class indices [N] or "
           "[N, ...], or probabilities of the classes, floats of the logits' shape. Indices equal to ignore_index count for "
           "nothing; `weight` [C] weighs each class; label_smoothing e makes the target (1 - e) times itself plus e/C for every "
           "class; reduction 'none' gives a loss for each sample, 'sum' their sum, and 'mean' divides that by the sum of "
           "weight[t] over the indices that count, for probabilities by the number of samples. `output` is the softmax over "
           "the classes (dimension 1), layer-normalised over the last dimensions, whose sizes normalized_shape gives: biased "
           "variance, eps added to it, no scale and no shift. Where `out` is given `output` is written there and returned.",
       .math = "s = log_softmax(logits, 1), q = (1 - e) onehot(targets) + e / C\n"
               "l[i] = -sum over c of weight[c] q[i, c] s[i, c]; 0 where target = ignore_index\n"
               "p = softmax(logits, 1), output = (p - mean(p)) / sqrt(var(p) + eps)",
       .reference = entropy_and_norm,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 C=5..60 logits=randn[M,C] targets=randint(0,C)[M] normalized_shape=C",
               "standard: M=17..90 C=65..300 logits=randn[M,C] targets=randint(0,C)[M] normalized_shape=C label_smoothing=0.1 "
               "reduction=none",
               "standard: M=17..90 C=5..60 logits=randn[M,C] targets=randint(0,C)[M] normalized_shape=C "
               "weight=uniform(0.5,2)[C]@fixed reduction=sum eps=1e-3",
               "standard: C=1000..4095 logits=randn[7,C] targets=randint(0,C)[7] normalized_shape=C reduction=none eps=1e-9",
               "standard: M=17..60 C=5..60 logits=randn[M,C] targets=uniform(0,0.1)[M,C] normalized_shape=C reduction=none",
               "boundary: logits=randn[2,7,5] targets=randint(0,7)[2,5] normalized_shape=5 reduction=none",
               "boundary: logits=randn[2,7,5] targets=randint(0,7)[2,5] normalized_shape=[7,5]",
               "boundary: logits=randn[9,7] targets=randint(0,7)[9] normalized_shape=[9,7] reduction=none",
               "boundary: logits=randn[33,7] targets=randint(0,7)[33] normalized_shape=[7] weight=uniform(0.5,2)[7] "
               "label_smoothing=0.2",
               "boundary: logits=randn[33,7] targets=randint(0,7)[33]@poke(-100,-100,-100) normalized_shape=7",
               "boundary: logits=randn[33,7] targets=randint(0,7)[33] normalized_shape=7 weight=uniform(0.5,2)[7] ignore_index=3",
               "boundary: logits=randn[33,7] targets=randint(0,7)[33] normalized_shape=7 reduction=none out=randn[33,7]",
               "boundary: logits=full(2)[5,7] targets=full(-100)[5]:i64 normalized_shape=7",
               "boundary: logits=randn[1,1] targets=zeros[1]:i64 normalized_shape=1",
               "boundary: logits=randn[0,5] targets=randint(0,5)[0] normalized_shape=5 reduction=none",
               "boundary: logits=randn[33,17]@transposed targets=randint(0,17)[33]@strided normalized_shape=17 reduction=none",
               "boundary: logits=randn[33,17]@strided targets=randint(0,17)[33] normalized_shape=17 reduction=none",
               "boundary: logits=randn[33,17]@offset targets=randint(0,17)[33] normalized_shape=17 reduction=none",
               "boundary: logits=randn[33,17]@scale(0.01) targets=randint(0,17)[33] normalized_shape=17 reduction=none "
               "eps=1e-12",
               "boundary: logits=randn[33,17]@shift(1000) targets=randint(0,17)[33] normalized_shape=17 reduction=none",
               "boundary: logits=randn[33,17]@scale(50) targets=randint(0,17)[33] normalized_shape=17 reduction=none",
               "boundary: logits=randn[9,17]@poke(nan) targets=randint(0,17)[9] normalized_shape=17 reduction=none",
               "boundary: logits=randn[33,7] targets=randint(0,7)[33] normalized_shape=7 weight=none ignore_index=2 "
               "reduction=none label_smoothing=0.1 eps=1e-4 *",
               "boundary: * logits=randn[33,7] targets=randint(0,7)[33] normalized_shape=7 reduction=sum",
           },
       .perf = {"logits=randn[1024,1024] targets=randint(0,1024)[1024] normalized_shape=1024",
                "logits=randn[4095,257] targets=randint(0,257)[4095] normalized_shape=257 label_smoothing=0.1",
                "logits=randn[64,16000] targets=randint(0,16000)[64] normalized_shape=16000 reduction=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 30 * static_cast<double>(a.tensor("logits").numel())};
       },
       .deviation = "The text's learnable scale and shift have no arguments and are left out. `out` is written."},
  };
  return tasks;
}

}  // namespace kbx
