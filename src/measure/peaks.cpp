// SPDX-License-Identifier: Apache-2.0
#include "measure/peaks.h"

#include <ATen/Parallel.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <ctime>

#include "core/files.h"
#include "core/gpus.h"
#include "core/processor.h"
#include "measure/products.h"
#include "measure/statistics.h"
#include "measure/stopwatch.h"
#include "measure/thread_scope.h"

namespace kbx {
namespace {

constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;
constexpr int64_t kAlignment = 256;       // bytes on which an operand starts
constexpr int64_t kTogether = 32 * kMiB;  // what calls one right after the other touch: less than an L2 of today

struct Plan {
  int64_t smallest, largest;  // footprints, in bytes
  int64_t step;               // from one to the next
  int repetitions;
  int64_t size;            // of matrices
  double product_seconds;  // for each type
};

Plan plan_for(bool gpu, Effort effort) {
  const bool quick = effort == Effort::quick;
  if (gpu) return quick ? Plan{16 * kKiB, kGiB, 4, 5, 8192, 0.06} : Plan{16 * kKiB, 4 * kGiB, 2, 25, 8192, 1.5};
  return quick ? Plan{64 * kKiB, 64 * kMiB, 4, 5, 1024, 0.15} : Plan{64 * kKiB, 64 * kMiB, 2, 15, 1024, 2};
}

using Operands = std::vector<at::Tensor>;

// Bytes per second of an operation on `parts` operands that are `footprint` bytes together.
double bandwidth_of(void (*operation)(Operands&), int parts, int64_t footprint, const at::Tensor& pool, int repetitions,
                    Stopwatch& watch) {
  const bool several = !pool.is_cpu();  // the CPU's clock is fine enough for one call
  const int calls = several ? static_cast<int>(std::clamp<int64_t>(kTogether / footprint, 1, 8)) : 1;
  const int64_t length = footprint / parts / kAlignment * kAlignment / static_cast<int64_t>(sizeof(float));
  std::vector<Operands> sets(static_cast<size_t>(calls));
  int64_t at = 0;
  for (Operands& set : sets)
    for (int part = 0; part < parts; ++part, at += length) set.push_back(pool.narrow(0, at, length));
  const auto times = watch.times(repetitions, calls, [&](int i) { operation(sets[static_cast<size_t>(i)]); });
  return static_cast<double>(length * parts) * sizeof(float) / *std::ranges::min_element(times);
}

Bandwidth bandwidth_at(int64_t footprint, const at::Tensor& pool, int repetitions, Stopwatch& watch) {
  const auto of = [&](int parts, void (*operation)(Operands&)) {
    return bandwidth_of(operation, parts, footprint, pool, repetitions, watch);
  };
  return {.bytes = footprint,
          .copy = of(2, [](Operands& o) { o[0].copy_(o[1]); }),
          .triad = of(3, [](Operands& o) { at::add_out(o[0], o[1], o[2], 3); }),
          .read = of(1, [](Operands& o) { at::sum(o[0]); }),
          .write = of(1, [](Operands& o) { o[0].fill_(1); })};
}

// Not zeros: the CPU would read them all from one page. Of `bytes`, or of the largest half, quarter, ... of it for which a GPU
// has the memory; not less than `least`.
at::Tensor make_pool(int64_t bytes, int64_t least, at::Device device) {
  const auto options = at::TensorOptions(device).dtype(at::kFloat);
  for (;; bytes /= 2) {
    try {
      return at::ones({bytes / static_cast<int64_t>(sizeof(float))}, options);
    } catch (const c10::OutOfMemoryError&) {
      if (bytes / 2 < least) throw;
    }
  }
}

std::vector<Bandwidth> sweep(const Plan& plan, at::Device device, Stopwatch& watch,
                             const std::function<void(const std::string&)>& progress) {
  const at::Tensor pool = make_pool(plan.largest, kTogether, device);
  const int64_t largest = pool.numel() * static_cast<int64_t>(sizeof(float));
  std::vector<Bandwidth> bandwidth;
  for (int64_t footprint = plan.smallest; footprint <= largest; footprint *= plan.step) {
    progress(fmt::format("bandwidth of {}", human_bytes(static_cast<uint64_t>(footprint))));
    bandwidth.push_back(bandwidth_at(footprint, pool, plan.repetitions, watch));
  }
  return bandwidth;
}

std::string environment_of(at::Device device) {
  std::string line = fmt::format("torch {}.{}.{}", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH);
  if (device.is_cpu()) return line;
  const auto gpus = list_gpus();
  return gpus && !gpus->empty() ? line + fmt::format(", driver API {}", gpus->front().driver_api) : line;
}

DeviceProfile measure(at::Device device, int threads, Effort effort, const std::function<void(const std::string&)>& progress) {
  const c10::OptionalDeviceGuard current(device.is_cpu() ? std::nullopt : std::optional(device));
  const ThreadScope scope(threads);
  const Plan plan = plan_for(!device.is_cpu(), effort);
  Stopwatch watch(device);
  DeviceProfile p;
  p.device = device_name(device, threads);
  p.gpu = !device.is_cpu();
  p.environment = environment_of(device);
  p.measured = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  progress("the smallest call");
  at::Tensor one = at::zeros({1}, at::TensorOptions(device).dtype(at::kFloat));
  const auto launches = watch.times(4 * plan.repetitions, 16, [&](int) { one.fill_(1); });
  p.launch_seconds = *std::ranges::min_element(launches);
  std::vector<double> calls;
  for (int i = 0; i < 4 * plan.repetitions; ++i) calls.push_back(watch.from_outside([&] { one.fill_(1); }));
  p.call_seconds = median(calls);
  p.bandwidth = sweep(plan, device, watch, progress);
  for (const char* type : {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8"}) {
    const std::string_view name = type;
    if (device.is_cpu() && (name == "tf32" || name == "fp8")) continue;
    progress(fmt::format("products of {} matrices", type));
    if (const auto rate = product_rate(type, plan.size, device, plan.product_seconds, watch)) p.matrix[type] = *rate;
  }
  p.vector = p.matrix.at("fp32");
  return p;
}

}  // namespace

std::string device_name(at::Device device, int threads) {
  if (device.is_cpu()) return fmt::format("{}, {} thread{}", processor(), threads, threads == 1 ? "" : "s");
  const auto gpus = list_gpus();
  const auto ordinal = static_cast<size_t>(device.has_index() ? device.index() : 0);
  return gpus && ordinal < gpus->size() ? (*gpus)[ordinal].name : device.str();
}

Result<DeviceProfile> measure_peaks(at::Device device, int threads, Effort effort,
                                    const std::function<void(const std::string&)>& progress) {
  if (!device.is_cpu() && !device.has_index()) device.set_index(0);
  const auto free_cache = [&] {
    if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
  };
  try {
    DeviceProfile profile = measure(
        device, threads, effort, progress ? progress : [](const std::string&) {});
    free_cache();  // candidates need the memory
    return profile;
  } catch (const c10::OutOfMemoryError&) {
    free_cache();
    return Error{fmt::format("not enough free memory on {} to measure it", device_name(device, threads)),
                 "end other programs that use the device"};
  } catch (const c10::Error& e) {
    return Error{fmt::format("{} cannot be measured: {}", device.str(), e.what_without_backtrace()),
                 "`kbx doctor` says whether the device is in order"};
  }
}

Result<DeviceProfile> profile_of(at::Device device, int threads) {
  const auto file = profile_path(device_name(device, threads));
  auto stored = read_profile(file);
  if (!stored) return stored.error();
  if (*stored) return **std::move(stored);
  auto measured = measure_peaks(device, threads, Effort::quick);
  // Where it cannot be stored it serves this process all the same.
  if (measured) static_cast<void>(write_profile(*measured, file));
  return measured;
}

}  // namespace kbx
