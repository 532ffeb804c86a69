// SPDX-License-Identifier: Apache-2.0
#include "pipeline/census.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "pipeline/gpu_kernels.h"

namespace kbx {
namespace {

using nlohmann::json;

template <typename T>
T field(const json& object, const char* key, T fallback) {
  if (!object.is_object()) return fallback;
  const auto it = object.find(key);
  if (it == object.end()) return fallback;
  try {
    return it->get<T>();
  } catch (const json::exception&) {
    return fallback;
  }
}

const json& array_field(const json& object, const char* key) {
  static const json empty = json::array();
  if (!object.is_object()) return empty;
  const auto it = object.find(key);
  return it != object.end() && it->is_array() ? *it : empty;
}

// Of a shape [x, y, z]; others are left as they are.
void read_three(const json& object, const char* key, int64_t (&to)[3]) {
  const auto from = field(object, key, std::vector<int64_t>());
  if (from.size() == 3) std::copy(from.begin(), from.end(), to);
}

RefusedLaunch refused_launch(const json& l) {
  RefusedLaunch launch{field(l, "name", std::string()), field(l, "error", std::string())};
  read_three(l, "grid", launch.grid);
  read_three(l, "block", launch.block);
  launch.shared_bytes = field(l, "shared", int64_t{0});
  launch.count = field(l, "count", int64_t{1});
  return launch;
}

// Library or own is told by nanoseconds; a runner may claim any number of them.
double seconds(const json& kernel) { return std::max(0.0, field(kernel, "nanoseconds", 0.0)) * 1e-9; }

constexpr std::array kComputing = {"libtorch",    "libcublas", "libcudnn",    "libmkl",   "libopenblas",
                                   "libcusolver", "libcufft",  "libcusparse", "libcurand"};

bool brought_a_library(const Census& census) {
  return std::any_of(census.libraries.begin(), census.libraries.end(), [](const std::string& library) {
    return std::any_of(kComputing.begin(), kComputing.end(),
                       [&](const char* name) { return library.find(name) != std::string::npos; });
  });
}

// "(3, 0, 0)" from [3, 0, 0].
std::string program_text(const json& access) {
  const auto program = field(access, "program", std::vector<int64_t>());
  return program.empty() ? "" : fmt::format("({})", fmt::join(program, ", "));
}

}  // namespace

Census parse_census(const std::string& text) {
  Census census;
  const json report = json::parse(text, nullptr, /*allow_exceptions=*/false);
  census.operators = field(report, "operators", census.operators);
  census.libraries = field(report, "libraries", census.libraries);
  census.launches = field(report, "launches", int64_t{0});
  census.stores_reached_output = field(report, "stores_reached_output", false);
  census.why_not_followed = field(report, "why", std::string());
  for (const json& k : array_field(report, "kernels"))
    census.kernels.push_back({field(k, "name", std::string()), field(k, "arch", std::string()), field(k, "registers", 0),
                              field(k, "shared", 0), field(k, "spills", 0)});
  census.own = field(report, "own", census.own);
  census.why_unseen = field(report, "why_unseen", std::string());
  census.gpu_seen = report.is_object() && report.contains("launched");
  if (census.gpu_seen)
    for (const json& k : array_field(report, "kernels"))
      census.gpu_kernels.push_back({field(k, "name", std::string()), field(k, "launches", int64_t{0}), seconds(k),
                                    field(k, "registers", 0), field(k, "shared", 0), KernelOrigin::own});
  for (const json& l : array_field(report, "failed_launches")) census.failed_launches.push_back(refused_launch(l));
  for (const json& a : array_field(report, "accesses"))
    census.accesses.push_back({field(a, "kernel", std::string()), field(a, "file", std::string()), field(a, "line", 0),
                               field(a, "kind", std::string("load")) != "load", field(a, "buffer", std::string()),
                               field(a, "distance", int64_t{0}), field(a, "count", int64_t{1}), program_text(a)});
  return census;
}

Authorship authorship(Language language, const Census& census) {
  if (language == Language::triton) {
    if (census.launches == 0 || !census.stores_reached_output) return Authorship::delegated;
    return census.operators.empty() ? Authorship::authored : Authorship::mixed;
  }
  return brought_a_library(census) ? Authorship::delegated : Authorship::authored;
}

void attribute(Language language, Census& census) {
  const bool triton = language == Language::triton;
  const bool library_there = triton || brought_a_library(census);
  for (GpuKernel& k : census.gpu_kernels) {
    k.origin = kernel_origin(k.name);
    if (k.origin == KernelOrigin::neutral) continue;
    const bool launched = std::find(census.own.begin(), census.own.end(), k.name) != census.own.end();
    if (triton)
      k.origin = launched && !is_generated_name(k.name) ? KernelOrigin::own : KernelOrigin::library;
    else if (!library_there && !is_header_template(k.name))
      k.origin = KernelOrigin::own;  // a name as a library might give it, and no library that could have
  }
}

std::optional<double> own_share(const Census& census) {
  double own = 0, library = 0;
  for (const GpuKernel& k : census.gpu_kernels) {
    if (k.origin == KernelOrigin::own) own += k.seconds;
    if (k.origin == KernelOrigin::library) library += k.seconds;
  }
  if (own + library <= 0) return std::nullopt;
  return own / (own + library);
}

Authorship authorship_on_gpu(Language language, const Census& census) {
  constexpr double kAuthored = 0.95, kDelegated = 0.05;  // docs/verdicts.md gives the reasons
  const auto share = own_share(census);
  // What was not seen is not authored, but for launches that Triton itself counted.
  if (!share) {
    if (language != Language::triton || census.launches == 0) return Authorship::delegated;
    return census.operators.empty() ? Authorship::authored : Authorship::mixed;
  }
  if (*share <= kDelegated) return Authorship::delegated;
  const bool library_ran = std::any_of(census.gpu_kernels.begin(), census.gpu_kernels.end(),
                                       [](const GpuKernel& k) { return k.origin == KernelOrigin::library; });
  // An operator without a kernel computed on the host.
  const bool elsewhere = !census.operators.empty() && !library_ran;
  return *share >= kAuthored && !elsewhere ? Authorship::authored : Authorship::mixed;
}

}  // namespace kbx
