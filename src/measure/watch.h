// SPDX-License-Identifier: Apache-2.0
// What disturbs a measurement, watched from outside: the clock, throttling and temperature of a GPU, stolen time of a CPU.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>

namespace kbx {

// Use from one thread.
class Watch {
 public:
  virtual ~Watch() = default;
  // A block begins. `switches`: involuntary_switches() of its runners together (CPU).
  virtual void begin(uint64_t switches) = 0;
  // The block is over: why it does not count, or an empty text. On a GPU: a thermal or power-brake slowdown during the block, or
  // a clock that differs by more than 5 % from the median of the blocks so far. On the CPU: a core was taken away from a runner
  // more often than once per 10 ms of the block, or the hypervisor stole more than a hundredth of the block.
  virtual std::string end(uint64_t switches) = 0;
  // For the record: "1980 MHz, 41 C, not throttled"; on the CPU "steal 0.0 %".
  virtual std::string summary() const = 0;
};

// A watch that sees nothing where NVML, or /proc/stat, is not to be had.
std::unique_ptr<Watch> make_watch(at::Device device);

}  // namespace kbx
