// SPDX-License-Identifier: Apache-2.0
#include "measure/stopwatch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

#include "core/clock.h"

namespace kbx {
namespace {

constexpr int64_t kBusySize = 2048;  // its product takes an H200 0.3 ms, in which the host enqueues some 50 calls
constexpr int kStartRepetitions = 20;

}  // namespace

Stopwatch::Stopwatch(at::Device device)
    : device_(device), flush_(device), one_(at::zeros({1}, at::TensorOptions(device).dtype(at::kFloat))) {
  if (device.is_cpu()) return;
  a_ = at::zeros({kBusySize, kBusySize}, one_.options());
  sum_ = at::empty({kBusySize, kBusySize}, one_.options());
  const std::vector<double> starts = times(kStartRepetitions, 0, {});
  start_ = *std::ranges::min_element(starts);
}

std::vector<double> Stopwatch::times(int repetitions, int calls, const std::function<void(int)>& call) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const double whole = span(calls, call);
    // Events tick every half microsecond: what is left of a short span must not come out as nothing.
    seconds.push_back(std::max(whole - start_, whole / 10) / std::max(calls, 1));
  }
  return seconds;
}

double Stopwatch::span(int calls, const std::function<void(int)>& call) {
  if (device_.is_cpu()) {
    flush_();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call(i);
    return seconds_since(start);
  }
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  c10::Event begun(device_.type(), c10::EventFlag::BACKEND_DEFAULT), ended(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  at::mm_out(sum_, a_, a_);
  flush_();
  begun.record(stream);
  // The gap between an event and the kernel after it belongs to this one.
  one_.fill_(0);
  for (int i = 0; i < calls; ++i) call(i);
  ended.record(stream);
  ended.synchronize();
  return begun.elapsedTime(ended) * 1e-3;
}

double Stopwatch::from_outside(const std::function<void()>& call) {
  const auto start = Clock::now();
  call();
  if (!device_.is_cpu()) c10::impl::VirtualGuardImpl(device_.type()).synchronizeDevice(device_.index());
  return seconds_since(start);
}

}  // namespace kbx
