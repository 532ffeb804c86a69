// SPDX-License-Identifier: Apache-2.0
#include "catalogue/export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catalogue/cases.h"
#include "catalogue/published/published.h"
#include "catalogue/schema.h"
#include "catalogue/task.h"
#include "catalogue/usage.h"
#include "contracts/words.h"
#include "protocol/native_call.h"

namespace kbx {
namespace {

std::string markdown_of(const Task& task) {
  std::string text = fmt::format("### {}\n\n`{}`\n\n{}\n\n```\n{}\n```\n\n", task.id, task.schema, task.summary, task.math);
  text += fmt::format("Contract: {}. Difficulty: {}. {} cases written, {} timed on a CPU, {} on a GPU.\n",
                      contract_name(task.contract), task.difficulty, task.cases.size(), task.perf.size(),
                      perf_cases_of(task, at::kCUDA).size());
  if (!task.deviation.empty()) text += fmt::format("\nDeparts from the published task: {}\n", task.deviation);
  return text;
}

std::string_view name(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::none:
      return "none";
    case ArgumentKind::tensor:
      return "tensor";
    case ArgumentKind::tensor_list:
      return "tensors";
    case ArgumentKind::boolean:
      return "bool";
    case ArgumentKind::integer:
      return "int";
    case ArgumentKind::real:
      return "float";
    case ArgumentKind::text:
      return "str";
    case ArgumentKind::dtype:
      return "dtype";
    case ArgumentKind::device:
      return "device";
    case ArgumentKind::int_list:
      return "ints";
    case ArgumentKind::real_list:
      return "floats";
    case ArgumentKind::bool_list:
      return "bools";
  }
  return "?";
}

// The default as the schema writes it; null where there is none.
nlohmann::ordered_json default_text(std::string_view schema, std::string_view argument) {
  const std::string wanted = fmt::format(" {}=", argument);
  size_t at = schema.find(wanted);
  if (at == std::string_view::npos) at = schema.find("(" + wanted.substr(1));
  if (at == std::string_view::npos) return nullptr;
  const size_t begin = schema.find('=', at) + 1;
  size_t end = begin;
  for (int depth = 0; depth > 0 || (schema[end] != ',' && schema[end] != ')'); ++end)
    depth += schema[end] == '[' ? 1 : schema[end] == ']' ? -1 : 0;
  return std::string(schema.substr(begin, end - begin));
}

// What a candidate is called with, by argument.
nlohmann::ordered_json arguments_of(const Task& task) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto& parameters = parsed_schema(task.schema).arguments();
  const std::vector<ArgumentUse> uses = usage_of(task);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Argument described = describe(parameters[i]);
    nlohmann::ordered_json one = {{"name", described.name},
                                  {"kind", name(kind_of(parameters[i]))},
                                  {"number", takes_any_number(parameters[i])},
                                  {"optional", is_optional(parameters[i])},
                                  {"keyword", parameters[i].kwarg_only()},
                                  {"written", described.may_be_written},
                                  {"out", described.is_out},
                                  {"native", is_native_argument(described.name)},
                                  {"left_out", uses[i].left_out},
                                  {"values", uses[i].values},
                                  {"dtypes", uses[i].dtypes},
                                  {"dimensions", uses[i].dimensions},
                                  {"mods", uses[i].mods},
                                  {"empty", uses[i].empty}};
    one["default"] = default_text(task.schema, described.name);
    list.push_back(std::move(one));
  }
  return list;
}

// Per returned value: whether it is a tensor that the schema declares to be an argument.
nlohmann::ordered_json returns_of(const Task& task) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& value : parsed_schema(task.schema).returns())
    list.push_back({{"name", value.name()}, {"argument", value.alias_info() != nullptr}});
  return list;
}

// As task.perf_gpu is written.
std::vector<std::string> timed_on_gpu(const Task& task) {
  constexpr std::string_view kStage = "measure: ";
  std::vector<std::string> lines;
  for (const Case& c : perf_cases_of(task, at::kCUDA)) lines.push_back(c.line.substr(kStage.size()));
  return lines;
}

}  // namespace

std::string catalogue_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Task& task : catalogue()) {
    const Published* published = find_published(task.id);
    list.push_back({{"id", task.id},
                    {"category", name(task.category)},
                    {"official", task.official},
                    {"difficulty", task.difficulty},
                    {"entry", entry(task)},
                    {"schema", task.schema},
                    {"contract", contract_name(task.contract)},
                    {"contract_words", contract_words(task.contract)},
                    {"arguments", arguments_of(task)},
                    {"returns", returns_of(task)},
                    {"random", std::holds_alternative<Stochastic>(task.contract.front())},
                    {"counted", task.bound != nullptr},
                    {"summary", task.summary},
                    {"math", task.math},
                    {"deviation", task.deviation},
                    {"digest", task_digest(task)},
                    {"cases", task.cases},
                    {"published", published ? published->calls : std::vector<std::string_view>()},
                    {"published_left_out", published ? published->left_out : ""},
                    {"perf", task.perf},
                    {"perf_gpu", timed_on_gpu(task)},
                    {"published_sweep", published ? published->sweep : std::vector<std::string_view>()}});
  }
  return list.dump(1) + "\n";
}

std::string catalogue_markdown() {
  std::string text =
      "# Tasks\n\nGenerated from `src/catalogue/` by `kbx-catalogue --markdown docs/tasks.md`; do not edit. How to read a case "
      "and "
      "add a task: [adding-a-task.md](adding-a-task.md).\n";
  for (int i = 0; i <= static_cast<int>(Category::spatial_ops); ++i) {
    auto category = static_cast<Category>(i);
    std::string section;
    for (const Task& task : catalogue())
      if (task.category == category) section += "\n" + markdown_of(task);
    if (!section.empty()) text += fmt::format("\n## {}\n{}", name(category), section);
  }
  return text;
}

std::string fidelity_markdown() {
  std::string departing, faithful;
  for (const Task& task : catalogue()) {
    const Published* published = find_published(task.id);
    const bool left_out = published && !published->left_out.empty();
    if (task.deviation.empty() && !left_out) {
      faithful += fmt::format("{}`{}`", faithful.empty() ? "" : ", ", task.id);
      continue;
    }
    departing += fmt::format("\n### {}\n\n{}\n", task.id, task.deviation);
    if (task.published)
      departing += "\n`--policy paper` compares with what the published reference computes on the published calls.\n";
    if (left_out) departing += fmt::format("\nPublished calls that no case can express: {}.\n", published->left_out);
  }
  return "# Fidelity\n\nGenerated by `kbx-catalogue --fidelity docs/fidelity.md`; do not edit. Where tasks depart from the "
         "published "
         "benchmark (KernelBench-X, arXiv 2605.04956), and why.\n\nFor all tasks alike: `--policy oracle`, the default, compares "
         "with a float64 oracle within a budget derived for the inputs, not with the published reference within a fixed "
         "tolerance; "
         "shapes are drawn for each run; boundary cases ask for what the description promises and the published tests do not "
         "try; "
         "outliers are ten and fifty times as large and at least one an input; calls by position and by keyword are both made; "
         "random "
         "results are judged by their distribution; an exception's words are free. `--policy paper` judges the published calls "
         "by "
         "the published rules ([verdicts](verdicts.md#policies)).\n\n## Departures\n" +
         departing + "\n## No departure beyond these\n\n" + faithful + "\n";
}

}  // namespace kbx
