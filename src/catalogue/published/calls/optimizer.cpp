// SPDX-License-Identifier: Apache-2.0
// Calls that the published tests of category Optimizer make. Written by tools/published; do not edit.
#include "catalogue/published/calls/parts.h"

// clang-format off
namespace kbx {

std::span<const Published> published_optimizer() {
  static const Published rows[] = {
      {"Adam",
       {
       },
       "call 1: the result is an object of class Adam; call 2: the result is an object of class Adam; call 3: the result is an object of class Adam; call 4: the result is an object of class Adam",
       {},
       {
       }},
      {"AdamW",
       {
           "param=randn[10,5] grad=randn[10,5] exp_avg=full(0.0)[10,5] exp_avg_sq=full(0.0)[10,5] * step=1",
           "param=randn[10,5] grad=randn[10,5] exp_avg=full(0.0)[10,5] exp_avg_sq=full(0.0)[10,5] * step=1 weight_decay=0.1",
           "param=randn[10,5] grad=randn[10,5] exp_avg=randn[10,5] exp_avg_sq=uniform[10,5] * step=100",
       },
       "",
       {},
       {
       }},
      {"Lion",
       {
           "param=randn[128] grad=randn[128] exp_avg=full(0.0)[128] lr=0.001 beta1=0.9 beta2=0.99",
           "param=randn[256] grad=randn[256] exp_avg=full(0.0)[256] lr=0.0001 beta1=0.95 beta2=0.98 weight_decay=0.1",
           "param=randn[64] grad=randn[64] exp_avg=randn[64] lr=0.0005 beta1=0.9 beta2=0.99",
       },
       "",
       {},
       {
       }},
      {"RMSProp",
       {
           "param=randn[128] grad=randn[128] square_avg=full(0.0)[128] lr=0.01 alpha=0.99 eps=1e-08",
           "param=randn[256] grad=randn[256] square_avg=full(0.0)[256] lr=0.001 alpha=0.95 eps=1e-06 weight_decay=0.1",
           "param=randn[64] grad=randn[64] square_avg=uniform[64] lr=0.005 alpha=0.9 eps=1e-08",
       },
       "",
       {},
       {
       }},
      {"SGD",
       {
           "param=randn[128] grad=randn[128] momentum=0.0",
           "param=randn[256] grad=randn[256] momentum_buffer=full(0.0)[256] *",
           "param=randn[128] grad=randn[128] momentum=0.0 weight_decay=0.01",
           "param=randn[128] grad=randn[128] momentum_buffer=full(0.0)[128] * nesterov=true",
           "param=randn[512] grad=randn[512] momentum_buffer=randn[512] * lr=0.05 momentum=0.9 weight_decay=0.01 dampening=0.0 nesterov=true",
           "param=randn[512]@draw(2) grad=randn[512] momentum_buffer=randn[512] * lr=0.05 momentum=0.9 weight_decay=0.01 dampening=0.0 nesterov=true",
           "param=randn[512]@draw(3) grad=randn[512] momentum_buffer=randn[512] * lr=0.05 momentum=0.9 weight_decay=0.01 dampening=0.0 nesterov=true",
           "param=randn[512] grad=randn[512]@spike(0.001,10) momentum_buffer=randn[512] * lr=0.05 momentum=0.9 weight_decay=0.01 dampening=0.0 nesterov=true",
           "param=randn[512]@draw(2) grad=randn[512]@spike(0.001,10) momentum_buffer=randn[512] * lr=0.05 momentum=0.9 weight_decay=0.01 dampening=0.0 nesterov=true",
           "param=randn[512]@draw(3) grad=randn[512]@spike(0.001,10) momentum_buffer=randn[512] * lr=0.05 momentum=0.9 weight_decay=0.01 dampening=0.0 nesterov=true",
       },
       "",
       {},
       {
       }},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
