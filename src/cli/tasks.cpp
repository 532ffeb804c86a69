// SPDX-License-Identifier: Apache-2.0
// `kbx tasks`, `kbx show` and `kbx prompt`.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/catalogue_file.h"
#include "cli/device_sheet.h"
#include "cli/prompt.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/installation.h"
#include "core/utf8.h"

namespace kbx {
namespace {

using Json = nlohmann::ordered_json;

Result<TaskObjects> catalogue_here() {
  const Result<Installation> installation = find_installation();
  if (!installation) return installation.error();
  return read_catalogue(installation->catalogue);
}

std::string text_of(const Json& task, const char* field) {
  if (!task.contains(field)) return "";
  const Json& value = task[field];
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

std::string table(const TaskObjects& tasks) {
  std::vector<std::vector<Cell>> rows{{"task", "category", "official", "difficulty", "contract", "schema"}};
  for (const Json& task : tasks)
    rows.push_back({text_of(task, "id"), text_of(task, "category"), task.value("official", true) ? "yes" : "extra",
                    text_of(task, "difficulty"), text_of(task, "contract"), text_of(task, "schema")});
  return aligned(rows, style_of(1)) + fmt::format("\n{} task{}\n", tasks.size(), tasks.size() == 1 ? "" : "s");
}

// A list of texts under a heading; nothing where it is empty.
void section(std::string& page, const std::string& heading, const Json& lines) {
  if (!lines.is_array() || lines.empty()) return;
  page += "\n" + coloured(heading, Colour::bold, style_of(1)) + "\n";
  for (const Json& line : lines) page += "  " + (line.is_string() ? line.get<std::string>() : line.dump()) + "\n";
}

std::string page(const Json& task) {
  std::string out =
      fmt::format("{}  {}, {}difficulty {}\n", coloured(text_of(task, "id"), Colour::bold, style_of(1)),
                  text_of(task, "category"), task.value("official", true) ? "" : "extra, ", text_of(task, "difficulty"));
  out += "\n" + text_of(task, "summary") + "\n";
  if (const std::string math = text_of(task, "math"); !math.empty()) out += "\n  " + math + "\n";
  out += fmt::format("\n{:<10}{}\n{:<10}{}\n{:<10}{}\n", "entry", text_of(task, "entry"), "schema", text_of(task, "schema"),
                     "contract", text_of(task, "contract"));
  if (const std::string deviation = text_of(task, "deviation"); !deviation.empty())
    out += fmt::format("{:<10}{}\n", "departs", deviation);
  section(out, "Cases", task.value("cases", Json::array()));
  section(out, "Perf cases", task.value("perf", Json::array()));
  section(out, "Perf cases on a GPU", task.value("perf_gpu", Json::array()));
  return out;
}

// Calls `use` on the task of that name; says what is near where there is none.
int with_task(const std::string& name, const std::function<int(const Json&)>& use) {
  const Result<TaskObjects> tasks = catalogue_here();
  if (!tasks) return complain(tasks.error(), kExitTrouble);
  const TaskNames names = task_names(*tasks);
  const TaskName* task = names.find(name);
  if (!task) return complain({names.unknown(name), "`kbx tasks` lists them all"}, kExitUsage);
  const auto found = std::ranges::find_if(*tasks, [&](const Json& one) { return one["id"] == task->id; });
  return found == tasks->end() ? kExitTrouble : use(*found);
}

}  // namespace

int list_tasks(const std::string& category, bool json) {
  const Result<TaskObjects> all = catalogue_here();
  if (!all) return complain(all.error(), kExitTrouble);
  TaskObjects tasks = *all;
  if (!category.empty()) {
    const std::string known = category_named(*all, category);
    if (known.empty())
      return complain(
          {"unknown category `" + category + "`; did you mean " + alternatives(nearest_names(category, categories(*all))) + "?",
           fmt::format("the categories are {}", fmt::join(categories(*all), ", "))},
          kExitUsage);
    std::erase_if(tasks, [&](const Json& task) { return task["category"] != known; });
  }
  if (!json) return print(table(tasks));
  Json list = Json::array();
  for (const Json& task : tasks) {
    Json row;
    for (const char* field : {"id", "category", "official", "difficulty", "entry", "schema", "contract"})
      row[field] = task.contains(field) ? task[field] : Json(nullptr);
    list.push_back(row);
  }
  return print(list.dump(1) + "\n");
}

int show_task(const std::string& name, bool json) {
  return with_task(name, [&](const Json& task) { return print(json ? task.dump(1) + "\n" : page(task)); });
}

int print_prompt(const std::string& name, const std::string& language, const std::string& device) {
  std::string sheet;
  if (!device.empty()) {
    auto told = device_sheet(device);
    if (!told) return complain(told.error(), kExitUsage);
    sheet = *std::move(told);
  }
  const Language written = language == "cuda" ? Language::cuda : language == "cpp" ? Language::cpp : Language::triton;
  return with_task(name, [&](const Json& task) { return print(prompt_of(task, written, sheet)); });
}

}  // namespace kbx
