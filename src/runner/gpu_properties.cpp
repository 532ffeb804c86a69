// SPDX-License-Identifier: Apache-2.0
#include "runner/gpu_properties.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

namespace kbx {
namespace {

constexpr std::pair<const char*, CUdevice_attribute> kAttributes[] = {
    {"multi_processor_count", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {"warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {"max_threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {"max_threads_per_multi_processor", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    {"regs_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    {"shared_memory_per_block", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {"shared_memory_per_block_optin", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    {"shared_memory_per_multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
    {"L2_cache_size", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
    {"clock_rate", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    {"memory_clock_rate", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
    {"memory_bus_width", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
};

// For a name that the driver gave: no quotes, no control characters.
std::string plain(const char* text) {
  std::string result;
  for (; *text != '\0'; ++text)
    if (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\') result += *text;
  return result;
}

}  // namespace

std::optional<GpuProperties> gpu_properties(int device) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return std::nullopt;
  const auto init = reinterpret_cast<decltype(&::cuInit)>(dlsym(library, "cuInit"));
  const auto get = reinterpret_cast<decltype(&::cuDeviceGet)>(dlsym(library, "cuDeviceGet"));
  const auto attribute = reinterpret_cast<decltype(&::cuDeviceGetAttribute)>(dlsym(library, "cuDeviceGetAttribute"));
  const auto name = reinterpret_cast<decltype(&::cuDeviceGetName)>(dlsym(library, "cuDeviceGetName"));
  const auto memory = reinterpret_cast<decltype(&::cuDeviceTotalMem)>(dlsym(library, "cuDeviceTotalMem_v2"));
  if (!init || !get || !attribute || !name || !memory) return std::nullopt;
  CUdevice handle = 0;
  if (init(0) != CUDA_SUCCESS || get(&handle, device) != CUDA_SUCCESS) return std::nullopt;

  int major = 0, minor = 0;
  size_t bytes = 0;
  char text[256] = "";
  attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
  attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
  memory(&bytes, handle);
  name(text, sizeof text - 1, handle);
  std::string json =
      fmt::format(R"({{"name": "{}", "total_memory": {}, "major": {}, "minor": {})", plain(text), bytes, major, minor);
  for (const auto& [key, which] : kAttributes) {
    int value = 0;
    if (attribute(&value, which, handle) == CUDA_SUCCESS) json += fmt::format(R"(, "{}": {})", key, value);
  }
  return GpuProperties{static_cast<uint32_t>(major * 10 + minor), json + "}"};
}

}  // namespace kbx
