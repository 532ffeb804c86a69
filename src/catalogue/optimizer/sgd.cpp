// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/zeros_like.h>

#include "catalogue/cost.h"
#include "catalogue/families.h"

namespace kbx {
namespace {

Values sgd_step(const Args& a) {
  at::Tensor param = a.tensor("param"), direction = a.tensor("grad");
  const double lr = a.real("lr"), momentum = a.real("momentum");
  if (double decay = a.real("weight_decay"); decay != 0) direction = direction.add(param, decay);
  if (momentum == 0) {
    param.add_(direction, -lr);
    return {param};
  }
  auto given = a.maybe_tensor("momentum_buffer");
  at::Tensor buffer = given ? *given : at::zeros_like(param);
  buffer.mul_(momentum).add_(direction, 1 - a.real("dampening"));
  param.add_(a.flag("nesterov") ? direction.add(buffer, momentum) : buffer, -lr);
  return {param, buffer};
}

}  // namespace

std::span<const Task> sgd_family() {
  static const Task tasks[] = {
      {.id = "SGD",
       .category = Category::optimizer,
       .difficulty = 3,
       .schema = "sgd_step(Tensor(a!) param, Tensor grad, Tensor(b!)? momentum_buffer=None, float lr=0.1, float momentum=0.9, "
                 "float weight_decay=0.0, float dampening=0.0, bool nesterov=False) -> (Tensor(a!) param, Tensor(b!)? "
                 "momentum_buffer)",
       .summary =
           "One step of gradient descent with momentum, in place: updates the buffer and the parameter and returns these two; "
           "the gradient is only read. weight_decay times the parameter is added to the gradient. Every step, the first as "
           "well, blends the gradient, damped by dampening, into the buffer; nesterov looks one step ahead. A momentum other "
           "than 0 comes with a buffer. With momentum=0 there is nothing to blend: a buffer stays as it is, and the second "
           "result is None.",
       .math = "g = grad + weight_decay * param\n"
               "momentum = 0: param -= lr * g\n"
               "otherwise: buffer = momentum * buffer + (1 - dampening) * g\n"
               "param -= lr * buffer, with nesterov lr * (g + momentum * buffer)",
       .reference = sgd_step,
       .contract = numeric(),
       .cases =
           {
               "standard: M=17..70 N=65..200 param=randn[M,N] grad=randn[M,N] momentum_buffer=randn[M,N]",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] momentum=0.0",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] momentum_buffer=randn[N] lr=0.05 weight_decay=0.1 "
               "nesterov=true",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] momentum_buffer=randn[N] lr=0.5 momentum=0.5 dampening=0.25",
               "standard: N=1000..4095 param=randn[N] grad=randn[N] momentum_buffer=none momentum=0 weight_decay=0.5 lr=0.3",
               "boundary: param=randn[17,33]@transposed grad=randn[17,33] momentum_buffer=randn[17,33]",
               "boundary: param=randn[9,33]@strided grad=randn[9,33]@strided momentum_buffer=randn[9,33]@strided",
               "boundary: param=randn[0] grad=randn[0] momentum_buffer=randn[0]",
               "boundary: param=randn[1] grad=randn[1] momentum_buffer=randn[1]",
               "boundary: param=randn[] grad=randn[] momentum_buffer=randn[]",
               "boundary: param=randn[] grad=randn[] momentum=0",
               "boundary: param=randn[257]@offset grad=randn[257]@offset momentum_buffer=randn[257]@offset",
               "boundary: param=randn[9,65] grad=randn[9,65]@expanded momentum_buffer=randn[9,65]",
               "boundary: param=randn[257] grad=randn[257] momentum_buffer=zeros[257]",
               "boundary: param=randn[257] grad=randn[257] momentum_buffer=zeros[257] nesterov=true",
               "boundary: param=randn[257] grad=randn[257] momentum_buffer=zeros[257] dampening=0.5",
               "boundary: param=randn[257] grad=randn[257] momentum_buffer=randn[257] dampening=1.0 nesterov=true "
               "weight_decay=0.25",
               "boundary: param=randn[257] grad=randn[257] momentum_buffer=randn[257] momentum=0.0 nesterov=true dampening=0.5",
               "boundary: param=randn[257] grad=randn[257] momentum_buffer=randn[257] momentum=1.0",
               "boundary: param=randn[257]@scale(1e-4) grad=randn[257]@scale(1e-4) momentum_buffer=randn[257]@scale(1e-4)",
               "boundary: param=randn[257]@shift(1000) grad=randn[257] momentum_buffer=randn[257] lr=1.0 weight_decay=0.01",
               "boundary: param=randn[257]:f64 grad=randn[257]:f64 momentum_buffer=randn[257]:f64 weight_decay=0.1",
               "boundary: param=randn[65] grad=randn[65]@poke(nan,inf) momentum_buffer=randn[65]@poke(-inf)",
               "boundary: param=randn[65] grad=randn[65] momentum_buffer=randn[65] lr=0.2 momentum=0.8 weight_decay=0.1 *",
               "boundary: * param=randn[65] grad=randn[65] momentum_buffer=randn[65]",
           },
       .perf = {"param=randn[2621440] grad=randn[2621440] momentum_buffer=randn[2621440]",
                "param=randn[511,2049] grad=randn[511,2049] momentum_buffer=randn[511,2049] weight_decay=0.01 nesterov=true"},
       .perf_gpu =
           {"param=randn[16777216] grad=randn[16777216] momentum_buffer=randn[16777216]",
            "param=randn[2047,2049] grad=randn[2047,2049] momentum_buffer=randn[2047,2049] weight_decay=0.01 nesterov=true"},
       .cost = [](const Args& a, const Values& out) -> Cost {
         return {traffic(a, out), 8 * outputs(out)};
       },
       .deviation =
           "The published signature is that of an optimiser class and is never called; the published test accepts no function "
           "of the name that it calls, and does not look at the arguments. Here sgd_step changes them. The buffer starts at "
           "zero, as in the published reference, where the text starts it at the first gradient. Momentum without a buffer is "
           "not tested: a native function has no place for a new one."},
  };
  return tasks;
}

}  // namespace kbx
