// SPDX-License-Identifier: Apache-2.0
#include "cli/catalogue_file.h"

#include <cctype>
#include <set>

#include "core/files.h"

namespace kbx {
namespace {

constexpr uint64_t kMostBytes = 64u << 20;

std::string letters(const std::string& text) {
  std::string out;
  for (unsigned char c : text)
    if (c != '_' && c != '-' && c != ' ') out += static_cast<char>(std::tolower(c));
  return out;
}

bool is_task(const nlohmann::ordered_json& value) {
  if (!value.is_object()) return false;
  for (const char* field : {"id", "category", "entry", "schema", "contract"})
    if (!value.contains(field) || !value[field].is_string()) return false;
  return true;
}

}  // namespace

Result<TaskObjects> read_catalogue(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kMostBytes);
  if (!text) return Error{text.error().message, "it is written when kbx is built: run `make`"};
  const auto parsed = nlohmann::ordered_json::parse(*text, nullptr, false);
  const Error damaged{file.string() + " is not a list of tasks", "build kbx again"};
  if (!parsed.is_array()) return damaged;
  TaskObjects tasks;
  for (const auto& value : parsed) {
    if (!is_task(value)) return damaged;
    tasks.push_back(value);
  }
  return tasks;
}

TaskNames task_names(const TaskObjects& tasks) {
  std::vector<TaskName> names;
  for (const auto& task : tasks) names.push_back({task["id"], task["entry"], task["category"]});
  return TaskNames(std::move(names));
}

std::vector<std::string> categories(const TaskObjects& tasks) {
  std::set<std::string> names;
  for (const auto& task : tasks) names.insert(task["category"]);
  return {names.begin(), names.end()};
}

std::string category_named(const TaskObjects& tasks, const std::string& name) {
  for (const std::string& category : categories(tasks))
    if (letters(category) == letters(name)) return category;
  return "";
}

}  // namespace kbx
