// SPDX-License-Identifier: Apache-2.0
#include "measure/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include "core/clock.h"
#include "measure/nvml.h"
#include "measure/statistics.h"

namespace kbx {
namespace {

constexpr double kClockChange = 0.05;
constexpr double kSecondsPerSwitch = 10e-3;
constexpr double kStolenShare = 0.01;

// NVML's nvmlClocksEventReasons (nvml.h). The power cap is how a GPU runs under full load: it disturbs by a change of clock only.
constexpr uint64_t kPowerCap = 0x04;
struct Slowdown {
  uint64_t reason;
  const char* words;
};
constexpr Slowdown kSlowdowns[] = {
    {0x20, "thermal slowdown by the driver"},
    {0x40, "thermal slowdown by the hardware"},
    {0x80, "power brake"},
    {0x08, "slowdown by the hardware"},  // comes with the two above; alone: another of its reasons
};

std::string slowdown(uint64_t reasons) {
  for (const Slowdown& s : kSlowdowns)
    if (reasons & s.reason) return s.words;
  return "";
}

class GpuWatch final : public Watch {
 public:
  explicit GpuWatch(std::function<std::optional<GpuState>()> probe) : probe_(std::move(probe)) {}

  void begin(uint64_t) override {
    const auto state = probe_();
    reasons_ = state ? state->reasons : 0;
  }

  std::string end(uint64_t) override {
    const auto state = probe_();
    if (!state) return "";
    reasons_ |= state->reasons;
    all_reasons_ |= reasons_;
    hottest_ = std::max(hottest_, state->celsius);
    clocks_.push_back(state->sm_mhz);
    if (std::string why = slowdown(reasons_); !why.empty()) return why;
    const double usual = median(clocks_);
    if (std::abs(clocks_.back() - usual) > kClockChange * usual)
      return fmt::format("clock at {:.0f} MHz in place of {:.0f}", clocks_.back(), usual);
    return "";
  }

  std::string summary() const override {
    if (clocks_.empty()) return "";
    std::string throttled = slowdown(all_reasons_);
    if (throttled.empty()) throttled = all_reasons_ & kPowerCap ? "power cap" : "not throttled";
    return fmt::format("{:.0f} MHz, {} C, {}", median(clocks_), hottest_, throttled);
  }

 private:
  std::function<std::optional<GpuState>()> probe_;
  uint64_t reasons_ = 0, all_reasons_ = 0;  // of this block, of all
  unsigned hottest_ = 0;
  std::vector<double> clocks_;  // MHz, one per block
};

class CpuWatch final : public Watch {
 public:
  explicit CpuWatch(std::function<std::optional<CpuState>()> probe) : probe_(std::move(probe)) {}

  void begin(uint64_t switches) override {
    begun_ = probe_();
    switches_ = switches;
  }

  std::string end(uint64_t switches) override {
    const auto now = probe_();
    if (!now || !begun_) return "";
    const double seconds = now->seconds - begun_->seconds, stolen = now->stolen - begun_->stolen;
    seconds_ += seconds;
    stolen_ += stolen;
    if (switches > switches_ && static_cast<double>(switches - switches_) * kSecondsPerSwitch > seconds)
      return fmt::format("a core was taken away {} times in {:.1f} ms", switches - switches_, seconds * 1e3);
    if (stolen > kStolenShare * seconds) return fmt::format("the hypervisor stole {:.0f} ms", stolen * 1e3);
    return "";
  }

  std::string summary() const override { return seconds_ > 0 ? fmt::format("steal {:.1f} %", 100 * stolen_ / seconds_) : ""; }

 private:
  std::function<std::optional<CpuState>()> probe_;
  std::optional<CpuState> begun_;
  uint64_t switches_ = 0;
  double seconds_ = 0, stolen_ = 0;  // of all blocks
};

std::optional<CpuState> probe_cpu() {
  std::ifstream stat("/proc/stat");
  std::string first;
  std::getline(stat, first);
  const auto ticks = stolen_ticks(first);
  if (!ticks) return std::nullopt;
  const double seconds = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  return CpuState{seconds, static_cast<double>(*ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

}  // namespace

std::unique_ptr<Watch> watch_gpu(std::function<std::optional<GpuState>()> probe) {
  return std::make_unique<GpuWatch>(std::move(probe));
}

std::unique_ptr<Watch> watch_cpu(std::function<std::optional<CpuState>()> probe) {
  return std::make_unique<CpuWatch>(std::move(probe));
}

std::unique_ptr<Watch> make_watch(at::Device device) {
  return device.is_cuda() ? watch_gpu(nvml_probe(device.has_index() ? device.index() : 0)) : watch_cpu(probe_cpu);
}

std::optional<uint64_t> stolen_ticks(const std::string& proc_stat) {
  unsigned long steal = 0;  // after user, nice, system, idle, iowait, irq, softirq
  if (std::sscanf(proc_stat.c_str(), "cpu %*u %*u %*u %*u %*u %*u %*u %lu", &steal) != 1) return std::nullopt;
  return steal;
}

}  // namespace kbx
