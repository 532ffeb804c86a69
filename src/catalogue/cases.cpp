// SPDX-License-Identifier: Apache-2.0
#include "catalogue/cases.h"

#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalogue/binding.h"
#include "catalogue/generate.h"
#include "catalogue/layout.h"
#include "catalogue/published/published.h"
#include "catalogue/schema.h"

namespace kbx {
namespace {

// A size that no power-of-two tile divides, where the range has one: kernels that forget the last block must meet it.
int64_t draw_size(const Dimension& dimension, uint64_t key) {
  uint64_t width = static_cast<uint64_t>(dimension.high - dimension.low) + 1;
  int64_t size = dimension.low;
  for (uint64_t attempt = 0; attempt < 16; ++attempt) {
    size = dimension.low + static_cast<int64_t>(mix(key, attempt) % width);
    if (size % 16 != 0) break;
  }
  return size;
}

Result<Words> resolve(const Words& words, uint64_t key) {
  auto dimensions = dimensions_of(words);
  if (!dimensions) return dimensions.error();
  std::map<std::string, int64_t> sizes;
  for (const Dimension& dimension : *dimensions) sizes[dimension.name] = draw_size(dimension, mix(key, dimension.name));
  Words resolved{words.stage, {}};
  for (const std::string& token : words.tokens)
    if (token.find("..") == std::string::npos) resolved.tokens.push_back(substitute(token, sizes));
  return resolved;
}

// Everything but making the tensors.
Result<Case> checked(const Task& task, const Words& words) {
  auto text = parse_case_text(words);
  if (!text) return text.error();
  auto bound = bind_fields(parsed_schema(task.schema), *text, [](const Recipe&, uint64_t) { return at::Tensor(); });
  if (!bound) return bound.error();
  return Case{words.stage, print_case(words), text->raises};
}

[[noreturn]] void bad_line(const Task& task, std::string_view line, const Error& error) {
  check_failed(__FILE__, __LINE__, fmt::format("task {}: case '{}': {}", task.id, line, error.text()));
}

Case written_case(const Task& task, std::string_view line, Stage otherwise, uint64_t key) {
  Result<Words> words = split_case(line, otherwise);
  if (!words) bad_line(task, line, words.error());
  Result<Words> resolved = resolve(*words, key);
  if (!resolved) bad_line(task, line, resolved.error());
  Result<Case> made = checked(task, *resolved);
  if (!made) bad_line(task, line, made.error());
  return *std::move(made);
}

// Where in `value` a modifier goes: behind each recipe that takes outliers. Returns false if there is none.
bool add_modifier(const FieldValue& value, std::string_view modifier, std::string& token) {
  bool added = false;
  for (const FieldValue& item : value.items) added |= add_modifier(item, modifier, token);
  if (value.kind != FieldValue::Kind::recipe || !takes_outliers(value.recipe)) return added;
  // The recipe's text may occur twice in a list: mark those that are not marked yet.
  for (size_t at = token.find(value.text); at != std::string::npos; at = token.find(value.text, at + 1)) {
    size_t end = at + value.text.size();
    if (end < token.size() && token[end] != ',' && token[end] != ']') continue;
    token.insert(end, modifier);
    return true;
  }
  return added;
}

std::vector<Case> outliers_of(const Case& standard) {
  std::vector<Case> derived;
  if (standard.raises) return derived;
  Words words = split_case(standard.line, standard.stage).value();
  CaseText text = parse_case_text(words).value();
  for (std::string_view modifier : {"@outlier10", "@outlier50"}) {
    Words changed{Stage::outlier, words.tokens};
    bool any = false;
    for (std::string& token : changed.tokens)
      for (const CaseField& field : text.fields)
        if (token.starts_with(field.name + "=")) any |= add_modifier(field.value, modifier, token);
    if (any) derived.push_back({Stage::outlier, print_case(changed), false});
  }
  return derived;
}

int64_t bytes_of(const FieldValue& value) {
  int64_t bytes = 0;
  for (const FieldValue& item : value.items) bytes += bytes_of(item);
  if (value.kind != FieldValue::Kind::recipe) return bytes;
  const Recipe& recipe = value.recipe;
  int64_t elements = recipe.has_dims ? 1 : static_cast<int64_t>(recipe.parameters.size());
  for (const int64_t size : recipe.dims) elements *= size;
  const auto dtype = dtype_named(recipe.dtype.empty() ? default_dtype(recipe) : recipe.dtype);
  return bytes + elements * static_cast<int64_t>(c10::elementSize(*dtype));
}

// Of a sweep the case with the most bytes of inputs up to kMostInputs, and the one nearest to kMiddleInputs by their ratio.
std::vector<Case> fitting(std::vector<Case> sweep) {
  constexpr int64_t kMostInputs = 256 << 20;
  constexpr double kMiddleInputs = 64 << 20;
  const auto from_middle = [](const Case& c) { return std::abs(std::log(static_cast<double>(input_bytes(c)) / kMiddleInputs)); };
  std::erase_if(sweep, [](const Case& c) { return input_bytes(c) > kMostInputs; });
  if (sweep.empty()) return sweep;
  const auto most = std::ranges::max_element(sweep, {}, input_bytes);
  const auto middle = std::ranges::min_element(sweep, {}, from_middle);
  return middle == most ? std::vector{*most} : std::vector{*middle, *most};
}

// Puts a poisoned tensor of the reference's own result where the case says out=like.
Status make_outputs(Call& call, size_t out) {
  Call rehearsal = call.clone();
  rehearsal.arguments[out].value = c10::IValue();
  rehearsal.arguments[out].kind = ArgumentKind::none;
  Values values;
  try {
    values = call.task->reference(Args(rehearsal));
  } catch (const std::exception& error) {
    return Error{fmt::format("the reference rejects '{}': {}", call.line, error.what()), ""};
  }
  call.arguments[out].value = at::full_like(values.front(), poison_for(values.front().scalar_type()));
  return Done{};
}

}  // namespace

std::vector<Case> cases_of(const Task& task, uint64_t seed) {
  std::vector<Case> standard, outlier, boundary;
  for (size_t i = 0; i < task.cases.size(); ++i) {
    Case made = written_case(task, task.cases[i], Stage::standard, mix(mix(seed, task.id), i));
    if (made.stage == Stage::standard)
      for (Case& derived : outliers_of(made)) outlier.push_back(std::move(derived));
    auto& list = made.stage == Stage::standard ? standard : made.stage == Stage::outlier ? outlier : boundary;
    list.push_back(std::move(made));
  }
  for (auto* list : {&outlier, &boundary}) standard.insert(standard.end(), list->begin(), list->end());
  return standard;
}

std::vector<Case> perf_cases_of(const Task& task, at::DeviceType device) {
  if (device != at::kCPU && task.perf_gpu.empty()) return fitting(published_sweep_of(task));
  std::vector<Case> cases;
  for (std::string_view line : device == at::kCPU ? task.perf : task.perf_gpu)
    cases.push_back(written_case(task, line, Stage::measure, 0));
  return cases;
}

std::vector<Case> published_cases_of(const Task& task) {
  std::vector<Case> cases;
  if (const Published* published = find_published(task.id))
    for (std::string_view line : published->calls) cases.push_back(written_case(task, line, Stage::published, 0));
  return cases;
}

std::vector<Case> published_sweep_of(const Task& task) {
  std::vector<Case> cases;
  if (const Published* published = find_published(task.id))
    for (std::string_view line : published->sweep) cases.push_back(written_case(task, line, Stage::measure, 0));
  return cases;
}

int64_t input_bytes(const Case& c) {
  const CaseText text = parse_case_text(split_case(c.line, c.stage).value()).value();
  int64_t bytes = 0;
  for (const CaseField& field : text.fields) bytes += bytes_of(field.value);
  return bytes;
}

Result<Case> parse_case(const Task& task, std::string_view line) {
  Result<Words> words = split_case(line, Stage::standard);
  if (!words) return words.error();
  auto dimensions = dimensions_of(*words);
  if (!dimensions) return dimensions.error();
  if (!dimensions->empty())
    return Error{fmt::format("{}: sizes are drawn only in the catalogue", dimensions->front().name), "write the number"};
  return checked(task, *words);
}

Result<Call> bind(const Task& task, const Case& c, uint64_t seed, at::Device device, uint64_t contents) {
  Result<Words> words = split_case(c.line, c.stage);
  if (!words) return words.error();
  Result<CaseText> text = parse_case_text(*words);
  if (!text) return text.error();
  uint64_t base = mix(mix(mix(seed, task.id), c.line), contents);
  auto arguments = bind_fields(parsed_schema(task.schema), *text,
                               [&](const Recipe& recipe, uint64_t key) { return generate(recipe, mix(base, key), device); });
  if (!arguments) return arguments.error();

  Call call{.task = &task, .line = c.line, .arguments = std::move(*arguments), .seed = base};
  const auto& parameters = parsed_schema(task.schema).arguments();
  for (size_t i = 0; i < parameters.size(); ++i) {
    // Factories make their result where the case is called; candidates learn the device from their surroundings.
    if (parameters[i].name() == "device") call.arguments[i].value = device;
    const c10::IValue& value = call.arguments[i].value;
    bool wants_output = call.arguments[i].is_out && value.isTensor() && !value.toTensor().defined();
    if (!wants_output) continue;
    if (Status made = make_outputs(call, i); !made) return made.error();
  }
  return call;
}

}  // namespace kbx
