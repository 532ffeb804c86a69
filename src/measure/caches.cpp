// SPDX-License-Identifier: Apache-2.0
#include "measure/caches.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/gpus.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMostOfCpu = 32 * kMiB;
constexpr int64_t kUnknownL2 = 64 * kMiB;

int64_t l2_bytes(int ordinal) {
  const auto gpus = list_gpus();
  if (gpus)
    for (const Gpu& g : *gpus)
      if (g.ordinal == ordinal && g.properties.at("L2_cache_size") > 0) return g.properties.at("L2_cache_size");
  return kUnknownL2;
}

int64_t cpu_bytes() {
  const int64_t told = last_level_bytes("/sys/devices/system/cpu/cpu0/cache");
  return told > 0 ? std::min(told, kMostOfCpu) : kMostOfCpu;
}

}  // namespace

CacheFlush::CacheFlush(at::Device device) {
  const int64_t bytes = device.is_cuda() ? 2 * l2_bytes(device.has_index() ? device.index() : 0) : cpu_bytes();
  memory_ = at::zeros({bytes}, at::TensorOptions().dtype(at::kByte).device(device));
  if (!device.is_cuda()) return;
  sum_ = at::empty({}, at::TensorOptions().dtype(at::kInt).device(device));
  if (void* driver = dlopen("libcuda.so.1", RTLD_NOW))
    reset_persisting_ = reinterpret_cast<int (*)()>(dlsym(driver, "cuCtxResetPersistingL2Cache"));
}

void CacheFlush::operator()() {
  // Persisting lines would outlive what follows. The reset acts on the current context: ATen's, in a thread that has used it.
  if (reset_persisting_ != nullptr) reset_persisting_();
  memory_.add_(1);
  // The second half of what was just written is still dirty in L2, and the next call's misses would pay for writing it back.
  // Reading all of twice the cache pushes it out to memory and leaves clean lines.
  if (sum_.defined()) at::sum_out(sum_, memory_.view(at::kInt), at::IntArrayRef{}, false, at::kInt);
}

int64_t last_level_bytes(const fs::path& caches) {
  int64_t largest = 0;
  std::error_code none;
  for (auto entry = fs::directory_iterator(caches, none); !none && entry != fs::directory_iterator(); entry.increment(none)) {
    std::ifstream type_file(entry->path() / "type"), size_file(entry->path() / "size");
    std::string type, unit;
    int64_t size = 0;
    if (!(type_file >> type) || type == "Instruction" || !(size_file >> size >> unit)) continue;
    if (unit == "K") largest = std::max(largest, size * 1024);  // the kernel knows no other unit
  }
  return largest;
}

}  // namespace kbx
