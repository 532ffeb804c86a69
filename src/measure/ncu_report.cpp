// SPDX-License-Identifier: Apache-2.0
#include "measure/ncu_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/check.h"
#include "core/utf8.h"

namespace kbx {
namespace {

struct Metric {
  std::string_view name;
  double CountedKernel::*adds_to;
};
// Names of the counters: Nsight Compute's profiling guide, "Metrics Structure"; the same from GA100 on.
constexpr std::array<Metric, 5> kMetrics{{
    {"gpu__time_duration.sum", &CountedKernel::seconds},
    {"dram__bytes_read.sum", &CountedKernel::dram_bytes},
    {"dram__bytes_write.sum", &CountedKernel::dram_bytes},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", &CountedKernel::occupancy},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", &CountedKernel::tensor_cores},
}};

struct Unit {
  std::string_view name;
  double scale;
};
// Versions differ in how they write units of time.
constexpr std::array<Unit, 14> kUnits{{{"byte", 1},
                                       {"Kbyte", 1e3},
                                       {"Mbyte", 1e6},
                                       {"Gbyte", 1e9},
                                       {"Tbyte", 1e12},
                                       {"ns", 1e-9},
                                       {"us", 1e-6},
                                       {"ms", 1e-3},
                                       {"s", 1},
                                       {"nsecond", 1e-9},
                                       {"usecond", 1e-6},
                                       {"msecond", 1e-3},
                                       {"second", 1},
                                       {"%", 0.01}}};

constexpr std::string_view kError = "==ERROR== ";
constexpr std::string_view kPermission = "ERR_NVGPUCTRPERM";

using Row = std::vector<std::string>;

// Fields between commas; in quotes they may hold commas, and quotes twice.
Row fields_of(std::string_view line) {
  Row fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  const std::string clean = valid_utf8(text);
  for (size_t begin = 0; begin < clean.size();) {
    const size_t end = std::min(clean.find('\n', begin), clean.size());
    std::string line = clean.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

// "1,234.5"; nothing for "n/a", "nan" and other words.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> scale(std::string_view unit) {
  const auto found = std::ranges::find(kUnits, unit, &Unit::name);
  return found != kUnits.end() ? std::optional(found->scale) : std::nullopt;
}

size_t column(const Row& names, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
}

Error failure(std::string_view words) { return {fmt::format("ncu: {}", words), "judge without --counters"}; }

Error not_permitted() {
  return {"ncu: the driver lets only administrators read the GPU's hardware counters (ERR_NVGPUCTRPERM)",
          "run kbx as root, in a container with --cap-add SYS_ADMIN; or put \"options nvidia "
          "NVreg_RestrictProfilingToAdminUsers=0\" into /etc/modprobe.d/nvidia-counters.conf and restart the machine"};
}

Result<CountedKernel> kernel_of(const Row& names, const Row& units, const Row& row) {
  if (row.size() != names.size() || units.size() != names.size())
    return failure(fmt::format("a row of {} fields in a table of {}", row.size(), names.size()));
  CountedKernel kernel;
  const size_t name = column(names, "Kernel Name");
  if (name < row.size()) kernel.name = row[name];
  for (const Metric& metric : kMetrics) {
    const size_t at = column(names, metric.name);
    if (at == names.size()) return failure(fmt::format("no {} in its report", metric.name));
    const auto value = number(row[at]);
    const auto factor = scale(units[at]);
    if (!value || !factor)
      return failure(fmt::format("{} of kernel {} is \"{} {}\"", metric.name, kernel.name, row[at], units[at]));
    kernel.*metric.adds_to += *value * *factor;
  }
  return kernel;
}

}  // namespace

std::string ncu_metrics() {
  std::vector<std::string_view> names;
  for (const Metric& metric : kMetrics) names.push_back(metric.name);
  return fmt::format("{}", fmt::join(names, ","));
}

std::optional<Error> ncu_error(std::string_view text) {
  std::optional<Error> first;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(kError)) continue;
    if (line.find(kPermission) != std::string::npos) return not_permitted();
    if (!first) first = failure(std::string_view(line).substr(kError.size()));
  }
  return first;
}

Result<std::vector<CountedKernel>> parse_ncu_report(std::string_view text) {
  if (auto error = ncu_error(text)) return *std::move(error);
  std::vector<CountedKernel> kernels;
  Row names, units;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with('"')) continue;
    Row row = fields_of(line);
    if (row.front() == "ID") {
      names = std::move(row);
      units.clear();
    } else if (row.front().empty()) {
      units = std::move(row);
    } else if (!names.empty()) {
      auto kernel = kernel_of(names, units, row);
      if (!kernel) return kernel.error();
      kernels.push_back(*std::move(kernel));
    }
  }
  if (kernels.empty()) return failure("it saw no kernel in the call");
  return kernels;
}

Counters sum_up(const std::vector<CountedKernel>& kernels) {
  KBX_CHECK(!kernels.empty());
  Counters sum;
  double seconds = 0;
  for (const CountedKernel& k : kernels) {
    seconds += k.seconds;
    sum.dram_bytes += k.dram_bytes;
    sum.occupancy += k.seconds * k.occupancy;
    sum.tensor_cores += k.seconds * k.tensor_cores;
  }
  if (seconds > 0) {
    sum.occupancy /= seconds;
    sum.tensor_cores /= seconds;
  }
  return sum;
}

}  // namespace kbx
