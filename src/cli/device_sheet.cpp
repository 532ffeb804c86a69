// SPDX-License-Identifier: Apache-2.0
#include "cli/device_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/gpus.h"

namespace kbx {
namespace {

// NVIDIA's data sheets and architecture papers (A100, H100, H200, L20, H20, Ada and Blackwell GeForce). TFLOP/s are dense, with
// accumulation in float32; bandwidth in GB/s; shared memory is what one block can ask for, in KiB; L2 in MiB.
struct Sheet {
  std::string_view key, name;
  int arch, multiprocessors, shared, l2, bandwidth;
  double fp32, tf32, bf16;
};
constexpr Sheet kSheets[] = {
    {"a100", "NVIDIA A100 SXM 80 GB", 80, 108, 163, 40, 2039, 19.5, 156, 312},
    {"h100", "NVIDIA H100 SXM", 90, 132, 227, 50, 3350, 67, 495, 989},
    {"h200", "NVIDIA H200 SXM", 90, 132, 227, 50, 4800, 67, 495, 989},
    {"h800", "NVIDIA H800 SXM", 90, 132, 227, 50, 3350, 67, 495, 989},
    {"h20", "NVIDIA H20", 90, 78, 227, 60, 4000, 44, 74, 148},
    {"l20", "NVIDIA L20", 89, 92, 99, 96, 864, 59.8, 59.8, 119.5},
    {"4090", "NVIDIA GeForce RTX 4090", 89, 128, 99, 72, 1008, 82.6, 82.6, 165.2},
    {"5090", "NVIDIA GeForce RTX 5090", 120, 170, 99, 96, 1792, 104.8, 104.8, 209.5},
};

// Words in a driver's name of slower forms than the sheets describe.
constexpr std::string_view kOtherForms[] = {"pcie", "nvl", "laptop", "d", "mig"};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string words_of(const Sheet& s) {
  return fmt::format(
      "{} (sm_{}): {} multiprocessors, up to {} KiB of shared memory a block, {} MiB of L2 cache, {} GB/s to memory. Peak "
      "TFLOP/s: {} fp32, {} TF32, {} bf16 and fp16 by tensor cores.\n",
      s.name, s.arch, s.multiprocessors, s.shared, s.l2, s.bandwidth, s.fp32, s.tf32, s.bf16);
}

std::string words_of(const Gpu& gpu) {
  const auto fact = [&](const char* name) { return gpu.properties.at(name); };
  // kHz times bytes a transfer, two transfers a clock.
  const double bandwidth =
      2e3 * static_cast<double>(fact("memory_clock_rate")) * static_cast<double>(fact("memory_bus_width")) / 8;
  return fmt::format(
      "{} (sm_{}): {} multiprocessors at {} MHz, up to {} KiB of shared memory a block, {} registers a multiprocessor, {} MiB of "
      "L2 "
      "cache, about {:.0f} GB/s to memory.\n",
      gpu.name, gpu.arch, fact("multi_processor_count"), fact("clock_rate") / 1000, fact("shared_memory_per_block_optin") >> 10,
      fact("regs_per_multiprocessor"), fact("L2_cache_size") >> 20, bandwidth / 1e9);
}

}  // namespace

Result<std::string> device_sheet(const std::string& device) {
  const std::string key = lower_case(device);
  const auto* known = std::ranges::find(kSheets, key, &Sheet::key);
  if (known != std::end(kSheets)) return words_of(*known);
  if (key == "cuda" || key.starts_with("cuda:")) {
    size_t ordinal = 0;
    const char* end = key.data() + key.size();
    const bool numbered = key.size() <= 5 || std::from_chars(key.data() + 5, end, ordinal).ptr == end;
    auto gpus = list_gpus();
    if (!gpus) return gpus.error();
    if (numbered && key != "cuda:" && ordinal < gpus->size()) return words_of((*gpus)[ordinal]);
    return Error{fmt::format("there is no GPU {}", device), fmt::format("this machine shows {}", gpus->size())};
  }
  std::string names;
  for (const Sheet& sheet : kSheets) names += fmt::format(", {}", sheet.key);
  return Error{fmt::format("unknown device `{}`", device), "known are cuda, cuda:N" + names};
}

std::optional<SheetPeaks> vendor_peaks(const std::string& driver_name) {
  std::string name = lower_case(driver_name);
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, ' ');
  std::istringstream words(name);
  const std::vector<std::string> all(std::istream_iterator<std::string>(words), {});
  const auto has = [&](std::string_view word) { return std::ranges::find(all, word) != all.end(); };
  if (std::ranges::any_of(kOtherForms, has)) return std::nullopt;
  const auto* sheet = std::ranges::find_if(kSheets, has, &Sheet::key);
  if (sheet == std::end(kSheets)) return std::nullopt;
  return SheetPeaks{std::string(sheet->name), sheet->bandwidth * 1e9, sheet->fp32 * 1e12, sheet->tf32 * 1e12, sheet->bf16 * 1e12};
}

}  // namespace kbx
