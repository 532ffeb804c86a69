// SPDX-License-Identifier: Apache-2.0
#include "measure/nvml.h"

#include <dlfcn.h>

namespace kbx {
namespace {

// nvml.h, which no package of ours holds: nvmlReturn_t is an enum with 0 for success, nvmlDevice_t a pointer.
using Device = void*;
constexpr int kSmClock = 1;         // NVML_CLOCK_SM
constexpr int kGpuTemperature = 0;  // NVML_TEMPERATURE_GPU

struct Nvml {
  Device device = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;

  std::optional<GpuState> operator()() const {
    GpuState state;
    unsigned long long bits = 0;
    if (clock(device, kSmClock, &state.sm_mhz) != 0 || temperature(device, kGpuTemperature, &state.celsius) != 0 ||
        reasons(device, &bits) != 0)
      return std::nullopt;
    state.reasons = bits;
    return state;
  }
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<Nvml> open(int ordinal) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (driver == nullptr || library == nullptr) return std::nullopt;
  Nvml nvml;
  int (*init)() = nullptr;
  int (*by_bus)(const char*, Device*) = nullptr;
  int (*bus_of)(char*, int, int) = nullptr;  // a CUdevice is its ordinal
  if (!find(driver, "cuDeviceGetPCIBusId", bus_of) || !find(library, "nvmlInit_v2", init) ||
      !find(library, "nvmlDeviceGetHandleByPciBusId_v2", by_bus) || !find(library, "nvmlDeviceGetClockInfo", nvml.clock) ||
      !find(library, "nvmlDeviceGetTemperature", nvml.temperature))
    return std::nullopt;
  if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", nvml.reasons) &&  // its name before driver 535
      !find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.reasons))
    return std::nullopt;
  char bus[32] = "";  // "0000:3B:00.0"
  if (bus_of(bus, sizeof bus, ordinal) != 0 || init() != 0 || by_bus(bus, &nvml.device) != 0) return std::nullopt;
  return nvml;
}

}  // namespace

std::function<std::optional<GpuState>()> nvml_probe(int ordinal) {
  if (const auto nvml = open(ordinal)) return *nvml;
  return [] { return std::optional<GpuState>(); };
}

}  // namespace kbx
