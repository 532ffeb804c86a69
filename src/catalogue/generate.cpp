// SPDX-License-Identifier: Apache-2.0
#include "catalogue/generate.h"

#include <ATen/Parallel.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "catalogue/generate_device.h"
#include "catalogue/layout.h"
#include "catalogue/matrices.h"
#include "catalogue/stream.h"
#include "core/check.h"

namespace kbx {
namespace {

using Parameters = std::vector<double>;
using Sizes = std::vector<int64_t>;
double parameter(const Parameters& p, size_t i, double otherwise) { return i < p.size() ? p[i] : otherwise; }

void fill_low_rank(const Stream& stream, int64_t rank, const Sizes& sizes, std::span<double> out) {
  int64_t rows = sizes[sizes.size() - 2], columns = sizes.back();
  int64_t count = out.empty() ? 0 : static_cast<int64_t>(out.size()) / (rows * columns);
  std::vector<double> left(count * rows * rank), right(count * rank * columns);
  fill_normal({mix(stream.key, 1)}, left);
  fill_normal({mix(stream.key, 2)}, right);
  for (int64_t b = 0; b < count; ++b)
    for (int64_t i = 0; i < rows; ++i) {
      const std::span<double> row = out.subspan((b * rows + i) * columns, columns);
      std::ranges::fill(row, 0.0);
      for (int64_t k = 0; k < rank; ++k)
        for (int64_t j = 0; j < columns; ++j) row[j] += left[(b * rows + i) * rank + k] * right[(b * rank + k) * columns + j];
    }
}

// What a generator needs numbers for: nothing, elements that stay as drawn, elements that outliers may scale.
enum class Draws { nothing, fixed, scalable };

void draw_normal(const Stream& s, const Parameters&, const Sizes&, std::span<double> out) { fill_normal(s, out); }

struct Generator {
  std::string_view name;
  size_t min_parameters, max_parameters;
  size_t min_dims;
  at::ScalarType dtype;  // where the recipe names none
  Draws draws;
  void (*fill)(const Stream&, const Parameters&, const Sizes&, std::span<double>);
  // What makes the matrix that the name promises of the numbers drawn; outliers go into those. The last are the imaginary
  // parts, of complex numbers alone. REQUIRES: square matrices.
  void (*structure)(const Parameters&, const Sizes&, std::span<double>, std::span<double>) = nullptr;
};

// Each element follows from the stream alone: any part can be drawn by itself.
constexpr std::string_view kByElement[] = {"randn", "uniform", "loguniform", "randint", "bernoulli"};

constexpr size_t kMany = 64;
// All tables are constexpr: the catalogue is read while libkbx_reference.so is being loaded.
// clang-format off
constexpr Generator kGenerators[] = {
    {"randn", 0, 0, 0, at::kFloat, Draws::scalable, draw_normal},
    {"uniform", 0, 2, 0, at::kFloat, Draws::scalable,
     [](const Stream& s, const Parameters& p, const Sizes&, std::span<double> out) {
       double low = parameter(p, 0, 0), high = parameter(p, 1, 1);
       for (size_t i = 0; i < out.size(); ++i) out[i] = low + (high - low) * s.uniform(i);
     }},
    {"loguniform", 2, 2, 0, at::kFloat, Draws::fixed,
     [](const Stream& s, const Parameters& p, const Sizes&, std::span<double> out) {
       double low = std::log(p[0]), high = std::log(p[1]);
       for (size_t i = 0; i < out.size(); ++i) out[i] = std::exp(low + (high - low) * s.uniform(i));
     }},
    {"randint", 2, 2, 0, at::kLong, Draws::fixed,
     [](const Stream& s, const Parameters& p, const Sizes&, std::span<double> out) {
       for (size_t i = 0; i < out.size(); ++i) out[i] = std::floor(p[0] + (p[1] - p[0]) * s.uniform(i));
     }},
    {"bernoulli", 1, 1, 0, at::kBool, Draws::fixed,
     [](const Stream& s, const Parameters& p, const Sizes&, std::span<double> out) {
       for (size_t i = 0; i < out.size(); ++i) out[i] = s.uniform(i) < p[0];
     }},
    {"zeros", 0, 0, 0, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters&, const Sizes&, std::span<double> out) { std::fill(out.begin(), out.end(), 0.0); }},
    {"ones", 0, 0, 0, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters&, const Sizes&, std::span<double> out) { std::fill(out.begin(), out.end(), 1.0); }},
    {"full", 1, 1, 0, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters& p, const Sizes&, std::span<double> out) { std::fill(out.begin(), out.end(), p[0]); }},
    {"arange", 0, 0, 0, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters&, const Sizes&, std::span<double> out) {
       for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(i);
     }},
    {"linspace", 2, 2, 0, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters& p, const Sizes&, std::span<double> out) {
       double last = static_cast<double>(std::max<size_t>(out.size(), 2) - 1);
       for (size_t i = 0; i < out.size(); ++i) out[i] = p[0] + (p[1] - p[0]) * (static_cast<double>(i) / last);
     }},
    {"values", 1, kMany, 0, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters& p, const Sizes&, std::span<double> out) {
       for (size_t i = 0; i < out.size(); ++i) out[i] = p[i % p.size()];
     }},
    {"eye", 0, 0, 2, at::kFloat, Draws::nothing,
     [](const Stream&, const Parameters&, const Sizes& sizes, std::span<double> out) {
       size_t rows = sizes[sizes.size() - 2], columns = sizes.back();
       for (size_t i = 0; i < out.size(); ++i) out[i] = (i / columns) % rows == i % columns;
     }},
    {"lowrank", 1, 1, 2, at::kFloat, Draws::scalable,
     [](const Stream& s, const Parameters& p, const Sizes& sizes, std::span<double> out) {
       fill_low_rank(s, static_cast<int64_t>(p[0]), sizes, out);
     }},
    {"symmetric", 0, 0, 2, at::kFloat, Draws::scalable, draw_normal, make_symmetric},
    {"hermitian", 0, 0, 2, at::kFloat, Draws::scalable, draw_normal, make_hermitian},
    {"spd", 1, 1, 2, at::kFloat, Draws::scalable, draw_normal, make_definite},
    {"lower", 1, 1, 2, at::kFloat, Draws::scalable, draw_normal, make_lower},
    {"upper", 1, 1, 2, at::kFloat, Draws::scalable, draw_normal, make_upper},
    {"dominant", 1, 1, 2, at::kFloat, Draws::scalable, draw_normal, make_dominant},
};
// clang-format on

// Multiplies about 1 % of the entries, at least one.
void add_outliers(const Stream& stream, double factor, std::span<double> out) {
  if (out.empty()) return;
  bool hit = false;
  for (size_t i = 0; i < out.size(); ++i) {
    if (stream.uniform(i) >= 0.01) continue;
    out[i] *= factor;
    hit = true;
  }
  if (!hit) out[stream.bits(out.size()) % out.size()] *= factor;
}

// Writes each value once, at a place of its own as far as there are enough.
void poke(const Stream& stream, const Parameters& values, const Sizes&, std::span<double> out) {
  if (out.empty()) return;
  size_t start = stream.bits(0) % out.size(), step = std::max<size_t>(out.size() / values.size(), 1);
  for (size_t k = 0; k < values.size(); ++k) out[(start + k * step) % out.size()] = values[k];
}

// Adds to the diagonal of the last two dimensions.
void add_to_diagonal(double value, const Sizes& sizes, std::span<double> out) {
  const size_t rows = sizes[sizes.size() - 2], columns = sizes.back();
  for (size_t i = 0; i < out.size(); ++i)
    if ((i / columns) % rows == i % columns) out[i] += value;
}

// An outlier goes into the numbers that a structure is made of; other values change what came out.
enum class ModKind { value, outlier, layout, flag };
struct ModRow {
  std::string_view name;
  size_t min_parameters, max_parameters;
  size_t min_dims;
  ModKind kind;
  void (*change)(const Stream&, const Parameters&, const Sizes&, std::span<double>);
  at::Tensor (*lay_out)(const at::Tensor&);
};

constexpr ModRow kMods[] = {
    {"scale", 1, 1, 0, ModKind::value,
     [](const Stream&, const Parameters& p, const Sizes&, std::span<double> out) {
       for (double& x : out) x *= p[0];
     },
     nullptr},
    {"shift", 1, 1, 0, ModKind::value,
     [](const Stream&, const Parameters& p, const Sizes&, std::span<double> out) {
       for (double& x : out) x += p[0];
     },
     nullptr},
    {"outlier10", 0, 0, 0, ModKind::outlier,
     [](const Stream& s, const Parameters&, const Sizes&, std::span<double> out) { add_outliers(s, 10, out); }, nullptr},
    {"outlier50", 0, 0, 0, ModKind::outlier,
     [](const Stream& s, const Parameters&, const Sizes&, std::span<double> out) { add_outliers(s, 50, out); }, nullptr},
    {"spike", 2, 2, 0, ModKind::outlier,
     [](const Stream& s, const Parameters& p, const Sizes&, std::span<double> out) {
       for (size_t i = 0; i < out.size(); ++i)
         if (s.uniform(2 * i) < p[0]) out[i] = s.uniform(2 * i + 1) < 0.5 ? -p[1] : p[1];
     },
     nullptr},
    {"clamp", 2, 2, 0, ModKind::value,
     [](const Stream&, const Parameters& p, const Sizes&, std::span<double> out) {
       for (double& x : out) x = std::clamp(x, p[0], p[1]);
     },
     nullptr},
    {"diagonal", 1, 1, 2, ModKind::value,
     [](const Stream&, const Parameters& p, const Sizes& sizes, std::span<double> out) { add_to_diagonal(p[0], sizes, out); },
     nullptr},
    {"poke", 1, kMany, 0, ModKind::value, poke, nullptr},
    {"fixed", 0, 0, 0, ModKind::flag, nullptr, nullptr},
    {"draw", 1, 1, 0, ModKind::flag, nullptr, nullptr},        // contents follow from the line, and it makes another line
    {"expanded", 0, 0, 1, ModKind::layout, nullptr, nullptr},  // generate() makes one row of it
    {"strided", 0, 0, 1, ModKind::layout, nullptr, strided},
    {"transposed", 0, 0, 2, ModKind::layout, nullptr, transposed},
    {"offset", 0, 0, 0, ModKind::layout, nullptr, offset_by_one},
};

struct DTypeName {
  std::string_view name;
  at::ScalarType dtype;
};
constexpr DTypeName kDTypes[] = {
    {"f16", at::kHalf},           {"bf16", at::kBFloat16}, {"f32", at::kFloat}, {"f64", at::kDouble}, {"c64", at::kComplexFloat},
    {"c128", at::kComplexDouble}, {"u8", at::kByte},       {"i8", at::kChar},   {"i16", at::kShort},  {"i32", at::kInt},
    {"i64", at::kLong},           {"bool", at::kBool},
};

template <typename Rows>
auto find_row(const Rows& rows, std::string_view name) -> decltype(&rows[0]) {
  for (const auto& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

template <typename Rows>
std::string names_of(const Rows& rows) {
  std::string names;
  for (const auto& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

template <typename Row>
Status check_use(const Row& row, size_t parameters, size_t dims) {
  if (parameters < row.min_parameters || parameters > row.max_parameters)
    return Error{
        fmt::format("{} takes {} parameters, not {}", row.name,
                    row.min_parameters == row.max_parameters ? fmt::format("{}", row.min_parameters)
                                                             : fmt::format("{} to {}", row.min_parameters, row.max_parameters),
                    parameters),
        ""};
  if (dims < row.min_dims) return Error{fmt::format("{} needs at least {} dimensions", row.name, row.min_dims), ""};
  return Done{};
}

Sizes sizes_of(const Recipe& recipe) {
  if (recipe.has_dims) return recipe.dims;
  return {static_cast<int64_t>(recipe.parameters.size())};  // values(...)
}

constexpr std::string_view kImaginary = "imaginary";

std::span<double> elements_of(const at::Tensor& numbers) {
  if (!numbers.defined()) return {};
  return {numbers.mutable_data_ptr<double>(), static_cast<size_t>(numbers.numel())};
}

// Whether the recipe says what each element is, whatever the others are.
bool is_by_element(const Recipe& recipe) {
  constexpr std::string_view kModsByElement[] = {"scale", "shift", "clamp"};
  return std::ranges::count(kByElement, recipe.generator) > 0 && std::ranges::all_of(recipe.mods, [&](const Recipe::Mod& mod) {
           return find_row(kMods, mod.name)->change == nullptr || std::ranges::count(kModsByElement, mod.name) > 0;
         });
}

constexpr size_t kPart = 1 << 13;  // of elements; even: normal numbers come in pairs

// Parts of it at a time, by as many threads as ATen may use: doubles of all would go through memory for nothing.
at::Tensor drawn_by_element(const Recipe& recipe, const Generator& generator, at::ScalarType dtype, uint64_t key,
                            const Sizes& sizes) {
  const at::Tensor drawn = at::empty(sizes, dtype), flat = drawn.view(-1);
  const auto count = static_cast<size_t>(drawn.numel()), parts = (count + kPart - 1) / kPart;
#pragma omp parallel for num_threads(at::get_num_threads()) if (parts > 4)
  for (size_t part = 0; part < parts; ++part) {
    std::array<double, kPart> numbers;
    const size_t first = part * kPart;
    const std::span<double> out = std::span(numbers).first(std::min(kPart, count - first));
    generator.fill({key, first}, recipe.parameters, sizes, out);
    for (const Recipe::Mod& mod : recipe.mods)
      if (const auto change = find_row(kMods, mod.name)->change) change({}, mod.parameters, sizes, out);
    const auto size = static_cast<int64_t>(out.size());
    flat.narrow(0, static_cast<int64_t>(first), size).copy_(at::from_blob(numbers.data(), {size}, at::kDouble));
  }
  return drawn;
}

// What a generator draws, by as many threads where each element is by itself.
void fill(const Generator& generator, uint64_t key, const Parameters& parameters, const Sizes& sizes, std::span<double> out) {
  const bool by_element = generator.structure != nullptr || std::ranges::count(kByElement, generator.name) > 0;
  if (!by_element) return generator.fill({key}, parameters, sizes, out);
#pragma omp parallel for num_threads(at::get_num_threads()) if (out.size() > 4 * kPart)
  for (size_t first = 0; first < out.size(); first += kPart)
    generator.fill({key, first}, parameters, sizes, out.subspan(first, std::min(kPart, out.size() - first)));
}

at::Tensor drawn_on_host(const Recipe& recipe, const Generator& generator, at::ScalarType dtype, uint64_t key,
                         const Sizes& sizes) {
  const auto drawn = [&](uint64_t stream) {
    const at::Tensor numbers = at::empty(sizes, at::kDouble);
    fill(generator, stream, recipe.parameters, sizes, elements_of(numbers));
    return numbers;
  };
  const bool is_complex = at::isComplexType(dtype);
  if (!is_complex && is_by_element(recipe)) return drawn_by_element(recipe, generator, dtype, key, sizes);
  const at::Tensor numbers = drawn(key);
  at::Tensor imaginary;
  // A constant has no imaginary part.
  if (is_complex) imaginary = generator.draws == Draws::nothing ? at::zeros_like(numbers) : drawn(mix(key, kImaginary));
  const auto change = [&](const at::Tensor& part, bool before_structure) {
    for (size_t i = 0; i < recipe.mods.size(); ++i) {
      const ModRow& row = *find_row(kMods, recipe.mods[i].name);
      const bool early = generator.structure && row.kind == ModKind::outlier;
      if (row.change && early == before_structure)
        row.change({mix(key, i + 1)}, recipe.mods[i].parameters, sizes, elements_of(part));
    }
  };
  const bool changes_imaginary = is_complex && generator.draws != Draws::nothing;
  change(numbers, true);
  if (changes_imaginary) change(imaginary, true);
  if (generator.structure) generator.structure(recipe.parameters, sizes, elements_of(numbers), elements_of(imaginary));
  change(numbers, false);
  if (changes_imaginary) change(imaginary, false);
  return is_complex ? at::complex(numbers, imaginary).to(dtype) : numbers.to(dtype);
}

}  // namespace

std::optional<at::ScalarType> dtype_named(std::string_view name) {
  const DTypeName* row = find_row(kDTypes, name);
  return row ? std::optional(row->dtype) : std::nullopt;
}

std::string dtype_names() { return names_of(kDTypes); }

std::string_view default_dtype(const Recipe& recipe) {
  const Generator* generator = find_row(kGenerators, recipe.generator);
  KBX_CHECK(generator != nullptr);
  return std::ranges::find(kDTypes, generator->dtype, &DTypeName::dtype)->name;
}

Status check_recipe(const Recipe& recipe) {
  const Generator* generator = find_row(kGenerators, recipe.generator);
  if (!generator) return Error{fmt::format("'{}' is no generator", recipe.generator), names_of(kGenerators)};
  if (!recipe.has_dims && recipe.generator != "values")
    return Error{fmt::format("{} has no dimensions", recipe.generator), fmt::format("write {}[2,3]", recipe.generator)};
  size_t dims = sizes_of(recipe).size();
  if (Status used = check_use(*generator, recipe.parameters.size(), dims); !used) return used;
  if (generator->structure && recipe.dims[dims - 1] != recipe.dims[dims - 2])
    return Error{fmt::format("{} needs square matrices", recipe.generator), ""};
  if (!recipe.dtype.empty() && !dtype_named(recipe.dtype))
    return Error{fmt::format("'{}' is no dtype", recipe.dtype), dtype_names()};
  for (const Recipe::Mod& mod : recipe.mods) {
    const ModRow* row = find_row(kMods, mod.name);
    if (!row) return Error{fmt::format("'@{}' is no modifier", mod.name), names_of(kMods)};
    if (Status used = check_use(*row, mod.parameters.size(), dims); !used) return used;
  }
  return Done{};
}

bool takes_outliers(const Recipe& recipe) {
  const Generator* generator = find_row(kGenerators, recipe.generator);
  if (!generator || generator->draws != Draws::scalable) return false;
  const at::ScalarType dtype = recipe.dtype.empty() ? generator->dtype : *dtype_named(recipe.dtype);
  if (!at::isFloatingType(dtype) && !at::isComplexType(dtype)) return false;
  for (const Recipe::Mod& mod : recipe.mods) {
    const ModRow* row = find_row(kMods, mod.name);
    if (mod.name == "fixed" || (row && row->kind == ModKind::outlier)) return false;
  }
  return true;
}

at::Tensor generate(const Recipe& recipe, uint64_t key, at::Device device) {
  const Generator& generator = *find_row(kGenerators, recipe.generator);
  Sizes sizes = sizes_of(recipe), drawn = sizes;
  bool expanded = false;
  for (const Recipe::Mod& mod : recipe.mods) expanded |= mod.name == "expanded";
  if (expanded) drawn[0] = std::min<int64_t>(drawn[0], 1);

  const at::ScalarType dtype = recipe.dtype.empty() ? generator.dtype : *dtype_named(recipe.dtype);
  at::Tensor tensor = drawn_on_device(recipe, dtype, c10::multiply_integers(drawn), device)
                          ? draw_on_device(recipe, dtype, key, drawn, device)
                          : drawn_on_host(recipe, generator, dtype, key, drawn);
  for (const Recipe::Mod& mod : recipe.mods) {
    const ModRow& row = *find_row(kMods, mod.name);
    if (row.lay_out) tensor = row.lay_out(tensor);
  }
  if (device != tensor.device()) tensor = copy_with_layout(tensor, device);
  return expanded ? tensor.expand(sizes) : tensor;
}

at::Tensor uniform_numbers(at::IntArrayRef sizes, double low, double high, uint64_t key) {
  Recipe recipe;
  recipe.generator = "uniform";
  recipe.parameters = {low, high};
  return drawn_by_element(recipe, *find_row(kGenerators, recipe.generator), at::kDouble, key, sizes.vec());
}

}  // namespace kbx
