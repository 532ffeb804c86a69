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
       {}},
      {"Lion",
       {
           "param=randn[128] grad=randn[128] exp_avg=full(0.0)[128] lr=0.001 beta1=0.9 beta2=0.99",
           "param=randn[256] grad=randn[256] exp_avg=full(0.0)[256] lr=0.0001 beta1=0.95 beta2=0.98 weight_decay=0.1",
           "param=randn[64] grad=randn[64] exp_avg=randn[64] lr=0.0005 beta1=0.9 beta2=0.99",
       },
       "",
       {}},
  };
  return rows;
}

}  // namespace kbx
// clang-format on
