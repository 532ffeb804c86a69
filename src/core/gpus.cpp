// SPDX-License-Identifier: Apache-2.0
#include "core/gpus.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/descriptor.h"

namespace kbx {
namespace {

using nlohmann::json;

constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE
// CUDA driver API, CUdevice_attribute.
constexpr int kMajor = 75, kMinor = 76;
struct Attribute {
  const char* name;  // of torch
  int number;
};
constexpr Attribute kProperties[] = {{"multi_processor_count", 16},
                                     {"warp_size", 10},
                                     {"max_threads_per_block", 1},
                                     {"max_threads_per_multi_processor", 39},
                                     {"shared_memory_per_block", 8},
                                     {"shared_memory_per_block_optin", 97},
                                     {"shared_memory_per_multiprocessor", 81},
                                     {"regs_per_multiprocessor", 82},
                                     {"L2_cache_size", 38},
                                     {"clock_rate", 13},
                                     {"memory_clock_rate", 36},
                                     {"memory_bus_width", 37}};
constexpr const char* kRemedy =
    "check nvidia-smi and CUDA_VISIBLE_DEVICES; CUDA 13 needs driver 580 or later; `kbx doctor` says more";

json as_json(const Result<std::vector<Gpu>>& gpus) {
  if (!gpus) return {{"error", gpus.error().message}, {"remedy", gpus.error().remedy}};
  json list = json::array();
  for (const Gpu& g : *gpus) list.push_back({g.ordinal, g.name, g.arch, g.driver_api, g.properties});
  return list;
}

Result<std::vector<Gpu>> from_json(const json& answer) {
  if (answer.is_object()) return Error{answer.value("error", "?"), answer.value("remedy", "")};
  std::vector<Gpu> gpus;
  for (const json& g : answer) gpus.push_back({g[0], g[1], g[2], g[3], g[4]});
  return gpus;
}

}  // namespace

Result<std::vector<Gpu>> list_gpus() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr)
    return Error{"there is no NVIDIA driver on this machine (libcuda.so.1)",
                 "`kbx doctor` says what to install; without a GPU: --device cpu"};
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto name_of = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
  const auto attribute = reinterpret_cast<int (*)(int*, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  const auto memory_of = reinterpret_cast<int (*)(size_t*, int)>(dlsym(driver, "cuDeviceTotalMem_v2"));
  const auto version_of = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  const auto words_for = reinterpret_cast<int (*)(int, const char**)>(dlsym(driver, "cuGetErrorString"));
  if (!init || !count_of || !name_of || !attribute || !memory_of || !version_of || !words_for)
    return Error{"the NVIDIA driver lacks functions that kbx needs", kRemedy};
  int count = 0, version = 0;
  int status = init(0);
  if (status == 0) status = count_of(&count);
  if (status == kNoDevice) return std::vector<Gpu>();
  if (status != 0) {
    const char* words = nullptr;
    words_for(status, &words);
    return Error{fmt::format("the NVIDIA driver does not start: {}", words ? words : "unknown error"), kRemedy};
  }
  version_of(&version);
  std::vector<Gpu> gpus;
  for (int i = 0; i < count; ++i) {
    char text[128] = "";
    name_of(text, sizeof text - 1, i);
    const auto value = [&](int what) {
      int v = 0;
      attribute(&v, what, i);
      return v;
    };
    Gpu gpu{i, text, static_cast<uint32_t>(value(kMajor) * 10 + value(kMinor)), version, {}};
    for (const Attribute& a : kProperties) gpu.properties[a.name] = value(a.number);
    size_t memory = 0;
    memory_of(&memory, i);
    gpu.properties["total_memory"] = static_cast<int64_t>(memory);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Result<std::vector<Gpu>> probe_gpus() {
  int ends[2];
  if (pipe(ends) != 0) return Error{fmt::format("pipe: {}", std::strerror(errno)), "close some programs"};
  Descriptor read_end(ends[0]), write_end(ends[1]);
  const pid_t child = fork();
  if (child < 0) return Error{fmt::format("fork: {}", std::strerror(errno)), "close some programs"};
  if (child == 0) {
    const std::string answer = as_json(list_gpus()).dump();
    const ssize_t written = write(write_end.get(), answer.data(), answer.size());
    _exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  write_end.close();
  std::string answer;
  char buffer[4096];
  for (ssize_t n; (n = read(read_end.get(), buffer, sizeof buffer)) != 0;) {
    if (n > 0) answer.append(buffer, static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  waitpid(child, nullptr, 0);
  const json parsed = json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Error{"the NVIDIA driver ended the process that asked it", kRemedy};
  return from_json(parsed);
}

}  // namespace kbx
