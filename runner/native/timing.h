// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "native/cuda_segments.h"
#include "native/device_census.h"
#include "protocol/wire.h"

namespace kbx::runner {

// Runs `work` and returns its duration in nanoseconds.
template <typename Work>
uint64_t timed(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const auto end = std::chrono::steady_clock::now();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
}

// Makes call(0) to call(count - 1) and returns what `timed` claims for them: docs/protocol.md. `on_device`: they are waited for
// there. Passes on what a call throws; throws Failure for a fault of the device, and for traced calls where CUPTI does not run.
template <typename Call>
std::vector<uint64_t> time_calls(wire::Timing how, size_t count, bool on_device, Call&& call) {
  if (count == 0) return {};
  if (how == wire::Timing::queued) {
    const auto all = [&] {
      for (size_t i = 0; i < count; ++i) call(i);
    };
    if (!on_device) return {timed(all)};
    begin_device_span();
    all();
    return {end_device_span()};
  }
  std::vector<uint64_t> claimed(count);
  const bool traced = how == wire::Timing::traced;
  if (traced) begin_trace();
  for (size_t i = 0; i < count; ++i) {
    if (traced) trace_call();
    claimed[i] = timed([&] {
      call(i);
      if (on_device) synchronise_device();
    });
  }
  return traced ? end_trace(count) : claimed;
}

}  // namespace kbx::runner
