// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values adam_step(const Args& a) {
  at::Tensor param = a.tensor("param"), grad = a.tensor("grad"), mean = a.tensor("exp_avg"), square = a.tensor("exp_avg_sq");
  double beta1 = a.real("beta1"), beta2 = a.real("beta2"), step = static_cast<double>(a.integer("step"));
  if (double decay = a.real("weight_decay"); decay != 0) grad = grad.add(param, decay);
  mean.mul_(beta1).add_(grad, 1 - beta1);
  square.mul_(beta2).addcmul_(grad, grad, 1 - beta2);
  double correction1 = 1 - std::pow(beta1, step), correction2 = 1 - std::pow(beta2, step);
  at::Tensor denominator = square.sqrt().div_(std::sqrt(correction2)).add_(a.real("eps"));
  param.addcdiv_(mean, denominator, -a.real("lr") / correction1);
  return {param, mean, square};
}

}  // namespace

std::span<const Task> adam_family() {
  static const Task tasks[] = {
      {.id = "Adam",
       .category = Category::optimizer,
       .difficulty = 3,
       .schema = "adam_step(Tensor(a!) param, Tensor grad, Tensor(b!) exp_avg, Tensor(c!) exp_avg_sq, int step, float lr=0.001, "
                 "float beta1=0.9, float beta2=0.999, float eps=1e-08, float weight_decay=0) -> (Tensor(a!) param, Tensor(b!) "
                 "exp_avg, Tensor(c!) exp_avg_sq)",
       .summary =
           "One step of Adam, in place: updates both moments and the parameter and returns these three. `step` counts from "
           "1 and is the number of this step; weight decay is added to the gradient.",
       .math = "g = grad + weight_decay * param\n"
               "exp_avg = beta1 * exp_avg + (1 - beta1) * g\n"
               "exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) * g^2\n"
               "param -= lr / (1 - beta1^step) * exp_avg / (sqrt(exp_avg_sq / (1 - beta2^step)) + eps)",
       .reference = adam_step,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..200 param=randn[M,N] grad=randn[M,N] exp_avg=randn[M,N] "
               "exp_avg_sq=uniform(0.1,2)[M,N] step=10",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=zeros[N] exp_avg_sq=zeros[N] step=1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=randn[N] exp_avg_sq=uniform(0.1,2)[N] step=3 "
               "lr=0.01 weight_decay=0.1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=randn[N] exp_avg_sq=uniform(0.1,2)[N] step=100 "
               "beta1=0.85 beta2=0.95 lr=0.1",
               "boundary: param=randn[17,33]@transposed grad=randn[17,33] exp_avg=randn[17,33] "
               "exp_avg_sq=uniform(0.1,2)[17,33] step=5 lr=0.1",
               "boundary: param=randn[9,33]@strided grad=randn[9,33]@strided exp_avg=randn[9,33]@strided "
               "exp_avg_sq=uniform(0.1,2)[9,33]@strided step=5 lr=0.1",
               "boundary: param=randn[0] grad=randn[0] exp_avg=randn[0] exp_avg_sq=uniform(0.1,2)[0] step=2",
               "boundary: param=randn[1] grad=randn[1] exp_avg=randn[1] exp_avg_sq=uniform(0.1,2)[1] step=2",
               "boundary: param=randn[] grad=randn[] exp_avg=randn[] exp_avg_sq=uniform(0.1,2)[] step=2",
               "boundary: param=randn[257]@offset grad=randn[257]@offset exp_avg=randn[257] exp_avg_sq=uniform(0.1,2)[257] "
               "step=2",
               "boundary: param=randn[257] grad=zeros[257] exp_avg=zeros[257] exp_avg_sq=zeros[257] step=1 lr=0.1",
               "boundary: param=randn[257]@scale(1e-4) grad=randn[257]@scale(1e-7) exp_avg=zeros[257] exp_avg_sq=zeros[257] "
               "step=1",
               "boundary: param=randn[257]@shift(1000) grad=randn[257] exp_avg=randn[257] exp_avg_sq=uniform(0.1,2)[257] step=7 "
               "lr=1.0 weight_decay=0.01",
               "boundary: param=randn[257] grad=randn[257] exp_avg=randn[257] exp_avg_sq=uniform(0.1,2)[257] step=2 eps=0.1",
               "boundary: param=randn[65] grad=randn[65] exp_avg=randn[65] exp_avg_sq=uniform(0.1,2)[65] step=2 lr=0.1 *",
           },
       .perf = {"param=randn[1048576] grad=randn[1048576] exp_avg=randn[1048576] exp_avg_sq=uniform(0.1,2)[1048576] step=10",
                "param=randn[1279,1025] grad=randn[1279,1025] exp_avg=randn[1279,1025] exp_avg_sq=uniform(0.1,2)[1279,1025] "
                "step=10 weight_decay=0.01"},
       .perf_gpu =
           {"param=randn[16777216] grad=randn[16777216] exp_avg=randn[16777216] exp_avg_sq=uniform(0.1,2)[16777216] step=10",
            "param=randn[2047,2049] grad=randn[2047,2049] exp_avg=randn[2047,2049] exp_avg_sq=uniform(0.1,2)[2047,2049] step=10 "
            "weight_decay=0.01"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * outputs(out)};
       },
       .deviation = "The published task constructs an optimiser object and compares its default settings; no update is ever "
                    "computed. Here it is a function that does one step, named adam_step."},
  };
  return tasks;
}

}  // namespace kbx
