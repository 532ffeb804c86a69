// SPDX-License-Identifier: Apache-2.0
#include "catalogue/generate_device.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <mutex>
#include <string_view>

#include "catalogue/generate.h"
#include "catalogue/matrices_device.h"
#include "core/check.h"

namespace kbx {
namespace {

constexpr std::string_view kGenerators[] = {"randn", "uniform", "randint", "bernoulli", "zeros", "ones", "full"};
// "fixed" and "draw" say something about the recipe, the last four about its layout.
constexpr std::string_view kMods[] = {"scale", "shift",    "clamp",   "outlier10",  "outlier50", "fixed",
                                      "draw",  "expanded", "strided", "transposed", "offset"};
constexpr double kOutlierShare = 0.01;

template <typename Names>
bool is_in(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

at::Generator stream(at::Device device, uint64_t key) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(key >> 1);  // seeds are signed integers in places
  return generator;
}

at::Tensor drawn(const Recipe& recipe, const at::Tensor& empty, at::Generator generator) {
  const auto parameter = [&](size_t i, double otherwise) {
    return i < recipe.parameters.size() ? recipe.parameters[i] : otherwise;
  };
  if (recipe.generator == "randn" || is_structure(recipe.generator)) return empty.normal_(0, 1, generator);
  if (recipe.generator == "uniform") return empty.uniform_(parameter(0, 0), parameter(1, 1), generator);
  if (recipe.generator == "bernoulli") return empty.bernoulli_(parameter(0, 0), generator);
  if (recipe.generator == "randint")
    return at::empty(empty.sizes(), empty.options().dtype(at::kLong))
        .random_(static_cast<int64_t>(parameter(0, 0)), static_cast<int64_t>(parameter(1, 1)), generator);
  return empty.fill_(recipe.generator == "ones" ? 1.0 : parameter(0, 0));
}

// Of what structures are made: other modifiers change the matrices.
bool is_outlier(const Recipe::Mod& mod) { return mod.name == "outlier10" || mod.name == "outlier50"; }

void change(const Recipe::Mod& mod, at::Tensor& numbers, at::Generator generator) {
  if (mod.name == "scale") numbers.mul_(mod.parameters[0]);
  if (mod.name == "shift") numbers.add_(mod.parameters[0]);
  if (mod.name == "clamp") numbers.clamp_(mod.parameters[0], mod.parameters[1]);
  if (!is_outlier(mod)) return;
  const at::Tensor hit =
      at::empty(numbers.sizes(), numbers.options().dtype(at::kFloat)).uniform_(0, 1, generator) < kOutlierShare;
  numbers.mul_(hit.to(numbers.scalar_type()).mul_(mod.name == "outlier10" ? 9 : 49).add_(1));
}

}  // namespace

bool drawn_on_device(const Recipe& recipe, at::ScalarType dtype, int64_t elements, at::Device device) {
  if (device.is_cpu() || elements < kDrawnOnDevice || at::isComplexType(dtype)) return false;
  if (!is_in(kGenerators, recipe.generator) && !is_structure(recipe.generator)) return false;
  return std::ranges::all_of(recipe.mods, [](const Recipe::Mod& mod) { return is_in(kMods, mod.name); });
}

at::Tensor draw_on_device(const Recipe& recipe, at::ScalarType dtype, uint64_t key, at::IntArrayRef sizes, at::Device device) {
  const bool has_structure = is_structure(recipe.generator);
  KBX_CHECK(is_in(kGenerators, recipe.generator) || has_structure);
  const bool wide = has_structure || dtype == at::kDouble || (at::isIntegralType(dtype, false) && c10::elementSize(dtype) > 2);
  const at::Tensor empty = at::empty(sizes, at::TensorOptions().dtype(wide ? at::kDouble : at::kFloat).device(device));
  at::Tensor numbers = drawn(recipe, empty, stream(device, key));
  // Modified integers are real numbers until the end, as on the host.
  const bool changed = std::ranges::any_of(recipe.mods, [](const Recipe::Mod& mod) { return !mod.parameters.empty(); });
  if (changed && !numbers.is_floating_point()) numbers = numbers.to(at::kDouble);
  const auto change_all = [&](bool before_structure) {
    for (size_t i = 0; i < recipe.mods.size(); ++i)
      if ((has_structure && is_outlier(recipe.mods[i])) == before_structure)
        change(recipe.mods[i], numbers, stream(device, mix(key, i + 1)));
  };
  change_all(true);
  if (has_structure) numbers = structured(recipe.generator, recipe.parameters.empty() ? 0 : recipe.parameters[0], numbers);
  change_all(false);
  return numbers.to(dtype);
}

}  // namespace kbx
