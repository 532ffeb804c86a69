// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values adamw_step(const Args& a) {
  at::Tensor param = a.tensor("param"), mean = a.tensor("exp_avg"), square = a.tensor("exp_avg_sq");
  const at::Tensor grad = a.tensor("grad");
  const double lr = a.real("lr"), beta1 = a.real("beta1"), beta2 = a.real("beta2"), step = static_cast<double>(a.integer("step"));
  param.mul_(1 - lr * a.real("weight_decay"));
  mean.mul_(beta1).add_(grad, 1 - beta1);
  square.mul_(beta2).addcmul_(grad, grad, 1 - beta2);
  const double correction1 = 1 - std::pow(beta1, step), correction2 = 1 - std::pow(beta2, step);
  const at::Tensor denominator = square.sqrt().div_(std::sqrt(correction2)).add_(a.real("eps"));
  param.addcdiv_(mean, denominator, -lr / correction1);
  return {param, mean, square};
}

Values rmsprop_step(const Args& a) {
  at::Tensor param = a.tensor("param"), grad = a.tensor("grad"), square = a.tensor("square_avg");
  const double alpha = a.real("alpha");
  if (double decay = a.real("weight_decay"); decay != 0) grad = grad.add(param, decay);
  square.mul_(alpha).addcmul_(grad, grad, 1 - alpha);
  param.addcdiv_(grad, square.sqrt().add_(a.real("eps")), -a.real("lr"));
  return {param, square};
}

}  // namespace

std::span<const Task> decayed_optimizer_family() {
  static const Task tasks[] = {
      {.id = "AdamW",
       .category = Category::optimizer,
       .difficulty = 4,
       .schema = "adamw_step(Tensor(a!) param, Tensor grad, Tensor(b!) exp_avg, Tensor(c!) exp_avg_sq, int step, float lr=0.001, "
                 "float beta1=0.9, float beta2=0.999, float eps=1e-08, float weight_decay=0.01) -> (Tensor(a!) param, Tensor(b!) "
                 "exp_avg, Tensor(c!) exp_avg_sq)",
       .summary =
           "One step of AdamW, in place: updates both moments and the parameter and returns these three; the gradient is only "
           "read. Weight decay shrinks the parameter and does not enter the moments. `step` counts from 1 and is the number of "
           "this step, by which both moments are corrected for their start from zero. eps is added to the square root of the "
           "corrected second moment.",
       .math = "param = (1 - lr * weight_decay) * param\n"
               "exp_avg = beta1 * exp_avg + (1 - beta1) * grad\n"
               "exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) * grad^2\n"
               "param -= lr / (1 - beta1^step) * exp_avg / (sqrt(exp_avg_sq / (1 - beta2^step)) + eps)",
       .reference = adamw_step,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..200 param=randn[M,N] grad=randn[M,N] exp_avg=randn[M,N] "
               "exp_avg_sq=uniform(0.1,2)[M,N] step=10 lr=0.1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=zeros[N] exp_avg_sq=zeros[N] step=1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=randn[N] exp_avg_sq=uniform(0.1,2)[N] step=3 "
               "lr=0.01 weight_decay=0.1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] exp_avg=randn[N] exp_avg_sq=uniform(0.1,2)[N] step=100 "
               "beta1=0.85 beta2=0.95 lr=0.1 weight_decay=1.0",
               "boundary: param=randn[17,33]@transposed grad=randn[17,33] exp_avg=randn[17,33] "
               "exp_avg_sq=uniform(0.1,2)[17,33] step=5 lr=0.1",
               "boundary: param=randn[9,33]@strided grad=randn[9,33]@strided exp_avg=randn[9,33]@strided "
               "exp_avg_sq=uniform(0.1,2)[9,33]@strided step=5 lr=0.1",
               "boundary: param=randn[0] grad=randn[0] exp_avg=randn[0] exp_avg_sq=uniform(0.1,2)[0] step=2",
               "boundary: param=randn[1] grad=randn[1] exp_avg=randn[1] exp_avg_sq=uniform(0.1,2)[1] step=2 lr=0.1",
               "boundary: param=randn[] grad=randn[] exp_avg=randn[] exp_avg_sq=uniform(0.1,2)[] step=2 lr=0.1",
               "boundary: param=randn[257]@offset grad=randn[257]@offset exp_avg=randn[257]@offset "
               "exp_avg_sq=uniform(0.1,2)[257]@offset step=2 lr=0.1",
               "boundary: param=randn[9,65] grad=randn[9,65]@expanded exp_avg=randn[9,65] exp_avg_sq=uniform(0.1,2)[9,65] step=2 "
               "lr=0.1",
               "boundary: param=randn[257] grad=zeros[257] exp_avg=zeros[257] exp_avg_sq=zeros[257] step=1 lr=0.1 "
               "weight_decay=0.5",
               "boundary: param=randn[257]@scale(1e-4) grad=randn[257]@scale(1e-7) exp_avg=zeros[257] exp_avg_sq=zeros[257] "
               "step=1",
               "boundary: param=randn[257] grad=randn[257]@scale(1e-3) exp_avg=randn[257]@scale(1e-3) exp_avg_sq=zeros[257] "
               "step=4 eps=1e-4 lr=0.1",
               "boundary: param=randn[257]@shift(1000) grad=randn[257] exp_avg=randn[257] exp_avg_sq=uniform(0.1,2)[257] step=7 "
               "lr=1.0 weight_decay=0.01",
               "boundary: param=randn[257] grad=randn[257] exp_avg=randn[257] exp_avg_sq=uniform(0.1,2)[257] step=2 eps=0.1 "
               "lr=0.1",
               "boundary: param=randn[257] grad=randn[257] exp_avg=randn[257] exp_avg_sq=uniform(0.1,2)[257] step=20000 lr=0.1 "
               "weight_decay=0.0",
               "boundary: param=randn[257]:f64 grad=randn[257]:f64 exp_avg=randn[257]:f64 exp_avg_sq=uniform(0.1,2)[257]:f64 "
               "step=3 lr=0.1",
               "boundary: param=randn[65]@poke(nan) grad=randn[65]@poke(inf) exp_avg=randn[65] exp_avg_sq=uniform(0.1,2)[65] "
               "step=3 lr=0.1",
               "boundary: param=randn[65] grad=randn[65] exp_avg=randn[65] exp_avg_sq=uniform(0.1,2)[65] step=2 lr=0.1 *",
               "boundary: * param=randn[65] grad=randn[65] exp_avg=randn[65] exp_avg_sq=uniform(0.1,2)[65] step=2",
           },
       .perf = {"param=randn[1048576] grad=randn[1048576] exp_avg=randn[1048576] exp_avg_sq=uniform(0.1,2)[1048576] step=10",
                "param=randn[1279,1025] grad=randn[1279,1025] exp_avg=randn[1279,1025] exp_avg_sq=uniform(0.1,2)[1279,1025] "
                "step=10 lr=0.01 weight_decay=0.1"},
       .perf_gpu =
           {"param=randn[16777216] grad=randn[16777216] exp_avg=randn[16777216] exp_avg_sq=uniform(0.1,2)[16777216] step=10",
            "param=randn[2047,2049] grad=randn[2047,2049] exp_avg=randn[2047,2049] exp_avg_sq=uniform(0.1,2)[2047,2049] step=10 "
            "weight_decay=0.01"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 20 * outputs(out)};
       },
       .deviation = "The published formula has no correction for the start from zero, its reference has; so it is here. The "
                    "published test accepts no function of the name that it calls, and does not look at the arguments; here "
                    "adamw_step changes them."},

      {.id = "RMSProp",
       .category = Category::optimizer,
       .difficulty = 3,
       .schema = "rmsprop_step(Tensor(a!) param, Tensor grad, Tensor(b!) square_avg, float lr=0.01, float alpha=0.99, float "
                 "eps=1e-08, float weight_decay=0.0) -> (Tensor(a!) param, Tensor(b!) square_avg)",
       .summary =
           "One step of RMSProp, in place: updates the average of squared gradients and the parameter and returns these two; the "
           "gradient is only read. weight_decay times the parameter is added to the gradient, for the average as well. eps is "
           "added to the square root. There is no momentum and no centring.",
       .math = "g = grad + weight_decay * param\n"
               "square_avg = alpha * square_avg + (1 - alpha) * g^2\n"
               "param -= lr * g / (sqrt(square_avg) + eps)",
       .reference = rmsprop_step,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..200 param=randn[M,N] grad=randn[M,N] square_avg=uniform(0.1,2)[M,N] lr=0.1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] square_avg=zeros[N]",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] square_avg=uniform(0.1,2)[N] lr=0.1 alpha=0.9 "
               "weight_decay=0.1",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] square_avg=uniform(0.1,2)[N] lr=0.5 alpha=0.5 eps=0.01 "
               "weight_decay=1.0",
               "boundary: param=randn[17,33]@transposed grad=randn[17,33] square_avg=uniform(0.1,2)[17,33] lr=0.1",
               "boundary: param=randn[9,33]@strided grad=randn[9,33]@strided square_avg=uniform(0.1,2)[9,33]@strided lr=0.1",
               "boundary: param=randn[0] grad=randn[0] square_avg=uniform(0.1,2)[0]",
               "boundary: param=randn[1] grad=randn[1] square_avg=uniform(0.1,2)[1] lr=0.1",
               "boundary: param=randn[] grad=randn[] square_avg=uniform(0.1,2)[] lr=0.1",
               "boundary: param=randn[257]@offset grad=randn[257]@offset square_avg=uniform(0.1,2)[257]@offset lr=0.1",
               "boundary: param=randn[9,65] grad=randn[9,65]@expanded square_avg=uniform(0.1,2)[9,65] lr=0.1",
               "boundary: param=randn[257] grad=zeros[257] square_avg=zeros[257] lr=0.1",
               "boundary: param=randn[257] grad=zeros[257] square_avg=zeros[257] lr=0.1 weight_decay=0.5",
               "boundary: param=randn[257]@scale(1e-4) grad=randn[257]@scale(1e-7) square_avg=zeros[257]",
               "boundary: param=randn[257] grad=randn[257]@scale(1e-3) square_avg=zeros[257] eps=1e-4 lr=0.1",
               "boundary: param=randn[257]@shift(1000) grad=randn[257] square_avg=uniform(0.1,2)[257] lr=1.0 weight_decay=0.01",
               "boundary: param=randn[257] grad=randn[257] square_avg=uniform(0.1,2)[257] lr=1.0 eps=0.5",
               "boundary: param=randn[257] grad=randn[257] square_avg=uniform(0.1,2)[257] lr=1.0 alpha=0.0",
               "boundary: param=randn[257] grad=randn[257] square_avg=uniform(0.1,2)[257] lr=1.0 alpha=1.0",
               "boundary: param=randn[257]:f64 grad=randn[257]:f64 square_avg=uniform(0.1,2)[257]:f64 lr=0.1",
               "boundary: param=randn[65] grad=randn[65]@poke(nan) square_avg=uniform(0.1,2)[65]@poke(inf) lr=0.1",
               "boundary: param=randn[65] grad=randn[65] square_avg=uniform(0.1,2)[65] lr=0.1 alpha=0.9 *",
               "boundary: * param=randn[65] grad=randn[65] square_avg=uniform(0.1,2)[65]",
           },
       .perf = {"param=randn[1310720] grad=randn[1310720] square_avg=uniform(0.1,2)[1310720]",
                "param=randn[1535,1025] grad=randn[1535,1025] square_avg=uniform(0.1,2)[1535,1025] lr=0.1 alpha=0.9 "
                "weight_decay=0.1"},
       .perf_gpu = {"param=randn[16777216] grad=randn[16777216] square_avg=uniform(0.1,2)[16777216]",
                    "param=randn[2047,2049] grad=randn[2047,2049] square_avg=uniform(0.1,2)[2047,2049] lr=0.1 alpha=0.9 "
                    "weight_decay=0.1"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 14 * outputs(out)};
       },
       .deviation =
           "The published text speaks of a momentum buffer, which neither signature nor reference has. The published test "
           "accepts no function of the name that it calls, and does not look at the arguments; here rmsprop_step changes "
           "them."},
  };
  return tasks;
}

}  // namespace kbx
