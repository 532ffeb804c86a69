// SPDX-License-Identifier: Apache-2.0
#include "catalogue/export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catalogue/published/published.h"
#include "catalogue/task.h"

namespace kbx {
namespace {

std::string markdown_of(const Task& task) {
  std::string text = fmt::format("### {}\n\n`{}`\n\n{}\n\n```\n{}\n```\n\n", task.id, task.schema, task.summary, task.math);
  text += fmt::format("Contract: {}. Difficulty: {}. {} cases written, {} timed.\n", contract_name(task.contract),
                      task.difficulty, task.cases.size(), task.perf.size());
  if (!task.deviation.empty()) text += fmt::format("\nDeparts from the published task: {}\n", task.deviation);
  return text;
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
                    {"summary", task.summary},
                    {"math", task.math},
                    {"deviation", task.deviation},
                    {"digest", task_digest(task)},
                    {"cases", task.cases},
                    {"published", published ? published->calls : std::vector<std::string_view>()},
                    {"published_left_out", published ? published->left_out : ""},
                    {"perf", task.perf}});
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

}  // namespace kbx
