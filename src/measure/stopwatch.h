// SPDX-License-Identifier: Apache-2.0
// Times calls of ATen in this process, each on cold caches: on a GPU by events, on the CPU by the judge's clock.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "measure/caches.h"

namespace kbx {

// Use from one thread, with the device as the current one.
class Stopwatch {
 public:
  // Throws c10::Error where there is no such device.
  explicit Stopwatch(at::Device device);

  // Seconds of one of `calls` calls, call(0), call(1), ..., made one right after the other on caches that were emptied before
  // the first; so often as `repetitions` says. On a GPU without what starting them costs, and so short as its kernels are:
  // enqueuing all of them must take less than about 0.2 ms.
  std::vector<double> times(int repetitions, int calls, const std::function<void(int)>& call);

  // Seconds from outside, by the judge's clock: call, wait, return.
  double from_outside(const std::function<void()>& call);

 private:
  double span(int calls, const std::function<void(int)>& call);

  at::Device device_;
  CacheFlush flush_;
  at::Tensor one_;      // whose fill is the smallest kernel
  at::Tensor a_, sum_;  // of a product that keeps a GPU busy while calls are enqueued
  double start_ = 0;    // seconds of a span of no calls
};

}  // namespace kbx
