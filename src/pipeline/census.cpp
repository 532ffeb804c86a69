// SPDX-License-Identifier: Apache-2.0
#include "pipeline/census.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

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
  constexpr std::array computing = {"libtorch", "libcublas", "libcudnn", "libmkl", "libopenblas", "libcusolver", "libcufft"};
  const bool delegated = std::any_of(census.libraries.begin(), census.libraries.end(), [&](const std::string& library) {
    return std::any_of(computing.begin(), computing.end(),
                       [&](const char* name) { return library.find(name) != std::string::npos; });
  });
  return delegated ? Authorship::delegated : Authorship::authored;
}

}  // namespace kbx
