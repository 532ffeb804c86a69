// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/smooth_l1_loss.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"
#include "catalogue/loss/reduction.h"

namespace kbx {

std::span<const Task> regression_loss_family() {
  static const Task tasks[] = {
      {.id = "smooth_l1_loss",
       .category = Category::loss,
       .difficulty = 2,
       .schema = "smooth_l1_loss(Tensor input, Tensor target, float beta=1.0, str reduction='mean') -> Tensor",
       .summary = "A loss that is quadratic for differences below beta and linear above; beta = 0 is the absolute difference. "
                  "Note that beta comes before reduction.",
       .math = "d = |input - target|; l = d^2 / (2*beta) for d < beta, d - beta/2 otherwise; then none, mean or sum",
       .reference = [](const Args& a) -> Values {
         return {at::smooth_l1_loss(a.tensor("input"), a.tensor("target"), reduction_named(a.text("reduction")), a.real("beta"))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] target=randn[M,N] reduction=none",
               "standard: N=1000..4095 input=randn[N] target=randn[N]",
               "standard: N=1000..4095 input=randn[N] target=randn[N] beta=0.5 reduction=sum",
               "boundary: N=33..90 input=randn[33,N]@transposed target=randn[33,N] beta=0.1 reduction=none",
               "boundary: N=33..90 input=randn[33,N]@strided target=randn[33,N]@strided beta=2.0 reduction=mean",
               "boundary: N=60001..65500 input=randn[N] target=randn[N] reduction=none",
               "boundary: input=randn[257] target=randn[257] beta=0 reduction=none",
               "boundary: input=randn[0] target=randn[0] reduction=none",
               "boundary: input=randn[0] target=randn[0]",
               "boundary: input=randn[0] target=randn[0] reduction=sum",
               "boundary: input=randn[1] target=randn[1]",
               "boundary: input=randn[] target=randn[]",
               "boundary: input=randn[257]@offset target=randn[257]@offset reduction=none",
               "boundary: input=randn[9,33]@expanded target=randn[9,33] reduction=none",
               "boundary: input=randn[1025]@scale(1e-4) target=randn[1025]@scale(1e-4) reduction=none",
               "boundary: input=randn[1025]@shift(1000) target=randn[1025]@shift(1000) reduction=none",
               "boundary: input=values(0,1,-1,0.5,2) target=values(0,0,0,0,1) reduction=none",
               "boundary: input=values(nan,inf,1,-inf) target=values(1,1,inf,0) reduction=none",
               "boundary: input=randn[33] target=randn[33] beta=0.25 reduction=none *",
           },
       .perf = {"input=randn[3145728] target=randn[3145728] beta=0.5 reduction=sum",
                "input=randn[2047,2049] target=randn[2047,2049] reduction=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 6 * static_cast<double>(a.tensor("input").numel())};
       }},
      {.id = "mse_loss",
       .category = Category::loss,
       .difficulty = 1,
       .schema = "mse_loss(Tensor input, Tensor target, str reduction='mean') -> Tensor",
       .summary = "Squared difference of input and target, which have the same shape. reduction 'none' keeps the elements, 'sum' "
                  "adds them, 'mean' divides the sum by their number; nothing has a mean of NaN.",
       .math = "l = (input - target)^2; then none, mean or sum",
       .reference = [](const Args& a) -> Values {
         return {at::mse_loss(a.tensor("input"), a.tensor("target"), reduction_named(a.text("reduction")))};
       },
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..300 input=randn[M,N] target=randn[M,N] reduction=none",
               "standard: M=17..70 N=65..300 input=randn[M,N] target=randn[M,N]",
               "standard: N=1000..4095 input=randn[N] target=randn[N]",
               "standard: N=1000..4095 input=randn[N] target=randn[N] reduction=sum",
               "boundary: N=33..90 input=randn[33,N]@transposed target=randn[33,N] reduction=none",
               "boundary: N=33..90 input=randn[33,N]@strided target=randn[33,N]@strided reduction=mean",
               "boundary: N=60001..65500 input=randn[N] target=randn[N] reduction=none",
               "boundary: N=60001..65500 input=randn[N] target=randn[N]",
               "boundary: input=randn[2,3,8,9] target=randn[2,3,8,9] reduction=sum",
               "boundary: input=randn[0] target=randn[0] reduction=none",
               "boundary: input=randn[0] target=randn[0]",
               "boundary: input=randn[0] target=randn[0] reduction=sum",
               "boundary: input=randn[1] target=randn[1]",
               "boundary: input=randn[] target=randn[]",
               "boundary: input=randn[257]@offset target=randn[257]@offset reduction=none",
               "boundary: input=randn[9,33]@expanded target=randn[9,33] reduction=none",
               "boundary: input=randn[1025]@scale(1e-4) target=randn[1025]@scale(1e-4)",
               "boundary: input=randn[1025]@scale(1e-4) target=randn[1025]@scale(1e-4) reduction=none",
               "boundary: input=randn[1025]@shift(1000) target=randn[1025]@shift(1000)",
               "boundary: input=randn[1025]@shift(1000) target=randn[1025]@shift(1000) reduction=none",
               "boundary: input=values(nan,inf,1,-inf,inf) target=values(1,1,inf,0,inf) reduction=none",
               "boundary: input=randn[65]@poke(nan) target=randn[65]",
               "boundary: input=randn[65]:f64 target=randn[65]:f64",
               "boundary: * input=randn[33] target=randn[33]",
               "boundary: input=randn[33] target=randn[33] reduction=none *",
           },
       .perf = {"input=randn[4194304] target=randn[4194304]", "input=randn[2047,2049] target=randn[2047,2049] reduction=none"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 3 * static_cast<double>(a.tensor("input").numel())};
       }},
  };
  return tasks;
}

}  // namespace kbx
