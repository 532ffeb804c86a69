// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/sign.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

at::Tensor blend(const at::Tensor& mean, const at::Tensor& grad, double beta) { return mean.mul(beta).add_(grad, 1 - beta); }

at::Tensor decayed(const Args& a) { return a.tensor("param").mul(1 - a.real("lr") * a.real("weight_decay")); }

Values lion_step(const Args& a) {
  at::Tensor param = a.tensor("param"), grad = a.tensor("grad"), mean = a.tensor("exp_avg");
  at::Tensor direction = at::sign(blend(mean, grad, a.real("beta1")));
  param.copy_(decayed(a)).add_(direction, -a.real("lr"));
  mean.copy_(blend(mean, grad, a.real("beta2")));
  return {param, mean};
}

Values every_direction(const Args& a) {
  at::Tensor still = decayed(a);
  return {blend(a.tensor("exp_avg"), a.tensor("grad"), a.real("beta1")), still.sub(a.real("lr")), still, still.add(a.real("lr"))};
}

}  // namespace

std::span<const Task> lion_family() {
  static const Task tasks[] = {
      {.id = "Lion",
       .category = Category::optimizer,
       .difficulty = 3,
       .schema = "lion_step(Tensor(a!) param, Tensor grad, Tensor(b!) exp_avg, float lr=0.0001, float beta1=0.9, float "
                 "beta2=0.99, float weight_decay=0.0) -> (Tensor(a!) param, Tensor(b!) exp_avg)",
       .summary =
           "One step of Lion, in place: the parameter decays, moves by lr against the sign of the momentum blended with the "
           "gradient (not at all where that is zero), then the momentum is updated; returns these two.",
       .math = "u = beta1 * exp_avg + (1 - beta1) * grad\n"
               "param = (1 - lr * weight_decay) * param - lr * sign(u), sign(0) = 0\n"
               "exp_avg = beta2 * exp_avg + (1 - beta2) * grad",
       .reference = lion_step,
       .jump = every_direction,
       .contract = {Jump{}, Numeric{}},
       .cases =
           {
               "standard: M=17..70 N=65..200 param=randn[M,N] grad=randn[M,N] exp_avg=randn[M,N]",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=zeros[N] lr=1e-3",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=randn[N]@scale(0.1) beta1=0.95 beta2=0.98 "
               "weight_decay=0.1 lr=0.01",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=randn[N] lr=0.1 weight_decay=1.0",
               "boundary: param=randn[17,33]@transposed grad=randn[17,33] exp_avg=randn[17,33] lr=0.1",
               "boundary: param=randn[9,33]@strided grad=randn[9,33]@strided exp_avg=randn[9,33]@strided lr=0.1",
               "boundary: param=randn[0] grad=randn[0] exp_avg=randn[0]",
               "boundary: param=randn[1] grad=randn[1] exp_avg=randn[1] lr=0.1",
               "boundary: param=randn[] grad=randn[] exp_avg=randn[] lr=0.1",
               "boundary: param=randn[257]@offset grad=randn[257]@offset exp_avg=randn[257] lr=0.1",
               "boundary: param=randn[257] grad=zeros[257] exp_avg=zeros[257] lr=0.1",
               "boundary: param=randn[257] grad=values(0,1,-2)[257] exp_avg=values(0,0.5)[257] lr=0.1",
               "boundary: param=randn[257] grad=full(-9)[257] exp_avg=ones[257] lr=0.1",
               "boundary: param=randn[257]@scale(1e-4) grad=randn[257]@scale(1e-7) exp_avg=zeros[257]",
               "boundary: param=randn[257]@shift(1000) grad=randn[257] exp_avg=randn[257] lr=1.0 weight_decay=0.01",
               "boundary: param=randn[257] grad=randn[257] exp_avg=randn[257] lr=0.5 beta1=0.0 beta2=1.0",
               "boundary: param=randn[65] grad=randn[65] exp_avg=randn[65] lr=0.1 *",
           },
       .perf = {"param=randn[1048576] grad=randn[1048576] exp_avg=randn[1048576] lr=0.1",
                "param=randn[1279,1025] grad=randn[1279,1025] exp_avg=randn[1279,1025] lr=0.01 weight_decay=0.1"},
       .perf_gpu = {"param=randn[16777216] grad=randn[16777216] exp_avg=randn[16777216] lr=0.1",
                    "param=randn[2047,2049] grad=randn[2047,2049] exp_avg=randn[2047,2049] lr=0.01 weight_decay=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 10 * outputs(out)};
       },
       .deviation = "The published test accepts no function of the name that it calls, and does not look at the arguments; here "
                    "lion_step changes them. The direction is free where rounding decides the sign of u."},
  };
  return tasks;
}

}  // namespace kbx
