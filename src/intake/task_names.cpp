// SPDX-License-Identifier: Apache-2.0
#include "intake/task_names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>
#include <set>

#include "core/utf8.h"

namespace kbx {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Optimal string alignment distance.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

struct Word {
  std::string_view text;
  bool called;  // directly followed by "("
};

std::vector<Word> words(std::string_view text) {
  std::vector<Word> out;
  for (size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    out.push_back({text.substr(i, end - i), end < text.size() && text[end] == '('});
    i = end;
  }
  return out;
}

bool defines(std::string_view source, std::string_view function) {
  const std::string definition = "def " + std::string(function);
  for (size_t at = source.find(definition); at != std::string_view::npos; at = source.find(definition, at + 1)) {
    const size_t end = at + definition.size();
    if ((at == 0 || !is_word(source[at - 1])) && (end == source.size() || !is_word(source[end]))) return true;
  }
  return false;
}

const TaskName* only(const std::set<const TaskName*>& found) { return found.size() == 1 ? *found.begin() : nullptr; }

}  // namespace

TaskNames::TaskNames(std::vector<TaskName> tasks) : tasks_(std::move(tasks)) {}

const TaskName* TaskNames::find(std::string_view name) const {
  for (const TaskName& task : tasks_)
    if (task.id == name) return &task;
  for (const TaskName& task : tasks_)
    if (task.entry == name) return &task;
  const std::string small = lower(name);
  for (const TaskName& task : tasks_)
    if (lower(task.id) == small) return &task;
  return nullptr;
}

const TaskName* TaskNames::of_path(std::string_view relative_path) const {
  const std::filesystem::path path(relative_path);
  const std::string stem = path.stem().string();
  if (const TaskName* task = find(stem)) return task;
  if (const size_t label = stem.find_first_of(".@#-"); label != std::string::npos)
    if (const TaskName* task = find(stem.substr(0, label))) return task;
  if (const size_t label = stem.find("__"); label != std::string::npos)
    if (const TaskName* task = find(stem.substr(0, label))) return task;
  for (auto folder = path.parent_path(); !folder.empty() && folder.has_filename(); folder = folder.parent_path())
    if (const TaskName* task = find(folder.filename().string())) return task;
  return nullptr;
}

const TaskName* TaskNames::of_instruction(std::string_view instruction, std::string_view answer) const {
  // The published prompts announce the function: "Wrapper Entry Information: def softmax_log(input, dim=-1) -> Tensor".
  constexpr std::string_view kAnnounced = "Wrapper Entry Information:";
  if (const size_t at = instruction.rfind(kAnnounced); at != std::string_view::npos) {
    const std::string_view line = instruction.substr(at + kAnnounced.size());
    for (const Word& word : words(line.substr(0, line.find('('))))
      if (word.text != "def" && word.text != "torch")
        if (const TaskName* task = find(word.text)) return task;
  }
  std::set<const TaskName*> called, mentioned, defined, defined_and_mentioned;
  for (const Word& word : words(instruction)) {
    const auto task =
        std::find_if(tasks_.begin(), tasks_.end(), [&](const TaskName& t) { return t.entry == word.text || t.id == word.text; });
    if (task == tasks_.end()) continue;
    mentioned.insert(&*task);
    if (word.called) called.insert(&*task);
  }
  for (const TaskName& task : tasks_)
    if (defines(answer, task.entry)) {
      defined.insert(&task);
      if (mentioned.count(&task)) defined_and_mentioned.insert(&task);
    }
  for (const auto* found : {&called, &defined_and_mentioned, &defined, &mentioned})
    if (const TaskName* task = only(*found)) return task;
  return nullptr;
}

std::vector<std::string> TaskNames::nearest(std::string_view name) const {
  std::vector<std::string> ids;
  for (const TaskName& task : tasks_) ids.push_back(task.id);
  return nearest_names(name, ids);
}

std::string TaskNames::unknown(std::string_view name) const {
  std::string text = "unknown task `" + printable(name) + "`";
  if (const auto near = nearest(name); !near.empty()) text += "; did you mean " + alternatives(near) + "?";
  return text;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names) {
  const std::string wanted = lower(name.substr(0, 100));
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& candidate : names) ranked.push_back({distance(wanted, lower(candidate)), candidate});
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min<size_t>(3, ranked.size()); ++i) out.push_back(ranked[i].second);
  return out;
}

}  // namespace kbx
