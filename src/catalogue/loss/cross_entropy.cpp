// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/cross_entropy_loss.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/loss/reduction.h"

namespace kbx {

std::span<const Task> cross_entropy_family() {
  static const Task tasks[] = {
      {.id = "cross_entropy",
       .category = Category::loss,
       .difficulty = 2,
       .schema =
           "cross_entropy(Tensor input, Tensor target, Tensor? weight=None, int ignore_index=-100, str reduction='mean') -> "
           "Tensor",
       .summary = "Cross entropy between logits and target classes. Classes run along dimension 1 (dimension 0 for a single "
                  "sample). Targets equal to ignore_index count for nothing; `weight` weighs each class; the mean divides by the "
                  "sum of the weights that counted, and is NaN where none did.",
       .math = "l[i] = -weight[t] * (x[i, t] - log(sum over c of exp(x[i, c]))), t = target[i]; 0 where t = ignore_index\n"
               "mean: sum(l) / sum of weight[t] over the targets that count",
       .reference = [](const Args& a) -> Values {
         return {at::cross_entropy_loss(a.tensor("input"), a.tensor("target"), a.maybe_tensor("weight"),
                                        reduction_named(a.text("reduction")), a.integer("ignore_index"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..90 C=5..60 input=randn[M,C] target=randint(0,C)[M]",
               "standard: M=17..90 C=65..300 input=randn[M,C] target=randint(0,C)[M] reduction=none",
               "standard: M=17..90 C=5..60 input=randn[M,C] target=randint(0,C)[M] weight=uniform(0.5,2)[C]@fixed reduction=sum",
               "standard: C=1000..4095 input=randn[7,C] target=randint(0,C)[7] reduction=none",
               "standard: C=5..11 H=5..9 input=randn[2,C,H,7] target=randint(0,C)[2,H,7]",
               "boundary: M=33..90 input=randn[M,11]@transposed target=randint(0,11)[M]@strided reduction=sum",
               "boundary: input=randn[33,7] target=randint(0,7)[33]@poke(-100,-100,-100)",
               "boundary: input=randn[33,7] target=randint(0,7)[33] weight=uniform(0.5,2)[7] ignore_index=3",
               "boundary: input=randn[33,7] target=randint(0,7)[33]@poke(-1,-1) ignore_index=-1 reduction=none",
               "boundary: input=randn[5,7] target=full(-100)[5]:i64",
               "boundary: input=randn[5,7] target=full(-100)[5]:i64 reduction=sum",
               "boundary: input=randn[7] target=randint(0,7)[]",
               "boundary: input=randn[1,1] target=zeros[1]:i64",
               "boundary: input=randn[0,5] target=randint(0,5)[0] reduction=none",
               "boundary: input=randn[33,17]@offset target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[33,17]@scale(1e-4) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[33,17]@shift(1000) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[33,17]@scale(50) target=randint(0,17)[33] reduction=none",
               "boundary: input=randn[9,17]@poke(nan) target=randint(0,17)[9] reduction=none",
               "boundary: input=randn[33,7] target=randint(0,7)[33] weight=none ignore_index=2 reduction=mean *",
           },
       .perf = {"input=randn[4096,1000] target=randint(0,1000)[4096]",
                "input=randn[128,32000] target=randint(0,32000)[128] reduction=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 10 * static_cast<double>(a.tensor("input").numel())};
       }},
  };
  return tasks;
}

}  // namespace kbx
