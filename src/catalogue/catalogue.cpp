// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/function_schema.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "catalogue/cases.h"
#include "catalogue/families.h"
#include "catalogue/published/published.h"
#include "catalogue/schema.h"
#include "catalogue/task.h"
#include "core/check.h"
#include "core/digest.h"

namespace kbx {
namespace {

// Part of every task's digest: raise it when the meaning of cases, the generators or the choice from published sizes
// change.
constexpr std::string_view kRevision = "1";

void require(bool holds, const Task& task, const char* what) {
  if (!holds) check_failed(__FILE__, __LINE__, fmt::format("task '{}': {}", task.id, what));
}

void validate(const Task& task) {
  require(!task.id.empty() && !task.schema.empty(), task, "id and schema are needed");
  require(!task.summary.empty() && !task.math.empty(), task, "summary and math are needed");
  require(task.reference != nullptr && task.cost != nullptr, task, "reference and cost are needed");
  require(task.difficulty >= 0 && task.difficulty <= 5, task, "difficulty is 1 to 5");
  if (const auto* stochastic = std::get_if<Stochastic>(&task.contract.front())) {
    const Chance& chance = task.chance;
    require(stochastic->distribution == Distribution::uniform || chance.before, task, "chance.before is needed");
    require(stochastic->distribution != Distribution::dropout || (chance.probability && chance.after), task,
            "chance.probability and chance.after are needed");
  }
  require(!task.perf.empty(), task, "perf cases are needed");
  const Published* published = find_published(task.id);
  require(!task.perf_gpu.empty() || (published && !published->sweep.empty()), task,
          "perf cases for a GPU are needed, or sizes that the published benchmark times");
  size_t returns = parsed_schema(task.schema).returns().size();
  require(task.contract.size() == 1 || task.contract.size() == returns, task, "one contract, or one for each returned value");
  auto jumps = std::count_if(task.contract.begin(), task.contract.end(),
                             [](const OutputContract& c) { return std::holds_alternative<Jump>(c); });
  require(jumps == (task.jump ? 1 : 0), task, "a result that jumps, and what it jumps with, come together");
  auto cases = cases_of(task, 0);
  for (Stage stage : {Stage::standard, Stage::boundary})
    require(std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.stage == stage; }), task,
            "standard and boundary cases are needed");
  perf_cases_of(task, at::kCPU);
  if (!task.perf_gpu.empty()) perf_cases_of(task, at::kCUDA);
  published_cases_of(task);
}

std::vector<Task> build() {
  std::vector<Task> tasks;
  for (auto family : kFamilies) tasks.insert(tasks.end(), family().begin(), family().end());
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.id < b.id; });
  for (size_t i = 1; i < tasks.size(); ++i) require(tasks[i].id != tasks[i - 1].id, tasks[i], "is there twice");
  for (const Task& task : tasks) validate(task);
  return tasks;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const Task> catalogue() {
  static const auto* tasks = new std::vector<Task>(build());
  return *tasks;
}

const Task* find_task(std::string_view id) {
  auto tasks = catalogue();
  auto found =
      std::lower_bound(tasks.begin(), tasks.end(), id, [](const Task& t, std::string_view wanted) { return t.id < wanted; });
  return found != tasks.end() && found->id == id ? &*found : nullptr;
}

std::vector<std::string> nearest_tasks(std::string_view id) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const Task& task : catalogue()) ranked.emplace_back(edit_distance(id, task.id), task.id);
  size_t count = std::min<size_t>(3, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + count, ranked.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < count; ++i) nearest.push_back(ranked[i].second);
  return nearest;
}

std::string_view name(Category category) {
  switch (category) {
    case Category::activation:
      return "Activation";
    case Category::convolution:
      return "Convolution";
    case Category::fusion:
      return "Fusion";
    case Category::index:
      return "Index";
    case Category::linear_algebra:
      return "LinearAlgebra";
    case Category::loss:
      return "Loss";
    case Category::math:
      return "Math";
    case Category::matrix_multiply:
      return "MatrixMultiply";
    case Category::normalization:
      return "Normalization";
    case Category::optimizer:
      return "Optimizer";
    case Category::pooling:
      return "Pooling";
    case Category::quantization:
      return "Quantization";
    case Category::random:
      return "Random";
    case Category::reduce:
      return "Reduce";
    case Category::spatial_ops:
      return "SpatialOps";
  }
  return "?";
}

std::string entry(const Task& task) { return std::string(task.schema.substr(0, task.schema.find('('))); }

std::string task_digest(const Task& task) {
  std::string text;
  auto add = [&](std::string_view part) { text.append(part).push_back('\0'); };
  add(kRevision);
  add(task.schema);
  add(contract_name(task.contract));
  add(task.deviation);
  const Published* published = find_published(task.id);
  for (const auto* lines : {&task.cases, &task.perf, &task.perf_gpu})
    for (std::string_view line : *lines) add(line);
  if (published)
    for (const auto* lines : {&published->calls, &published->sweep})
      for (std::string_view line : *lines) add(line);
  return sha256_hex(text);
}

}  // namespace kbx
