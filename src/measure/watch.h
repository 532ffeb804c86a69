// SPDX-License-Identifier: Apache-2.0
// What disturbs a measurement, watched from outside: the clock, throttling and temperature of a GPU, stolen time of a CPU.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kbx {

// Use from one thread.
class Watch {
 public:
  virtual ~Watch() = default;
  // A block begins. `switches`: involuntary_switches() of its runners together (CPU).
  virtual void begin(uint64_t switches) = 0;
  // The block is over: why it does not count, or an empty text. On a GPU: a thermal or power-brake slowdown at its begin or
  // end, or a clock at its end that differs by more than 5 % from the median of the blocks so far, this one included. On the
  // CPU: a core was taken away from a runner more often than once per 10 ms of the block, or the hypervisor stole more than a
  // hundredth of the block. REQUIRES: begin() before it.
  virtual std::string end(uint64_t switches) = 0;
  // For the record: "1980 MHz, 41 C, not throttled" (median clock, highest temperature); on the CPU "steal 0.0 %". Empty where
  // nothing was seen.
  virtual std::string summary() const = 0;
};

// A watch that sees nothing where NVML, or /proc/stat, is not to be had.
std::unique_ptr<Watch> make_watch(at::Device device);

// The rules, apart from where the numbers come from. A probe returns nothing where it cannot tell; such a block counts.
struct GpuState {
  unsigned sm_mhz = 0, celsius = 0;
  uint64_t reasons = 0;  // why the clock is not higher: bits of NVML's nvmlClocksEventReasons
};
struct CpuState {
  double seconds = 0;  // of any clock that only goes forward
  double stolen = 0;   // seconds by the hypervisor, all cores together, since any moment
};
std::unique_ptr<Watch> watch_gpu(std::function<std::optional<GpuState>()> probe);
std::unique_ptr<Watch> watch_cpu(std::function<std::optional<CpuState>()> probe);

// Column `steal` of the first line of /proc/stat (proc_stat(5)), in ticks. Nothing: not such a text.
std::optional<uint64_t> stolen_ticks(const std::string& proc_stat);

}  // namespace kbx
