// SPDX-License-Identifier: Apache-2.0
// The names by which people mean a task. Intake and `kbx` know tasks by name only, so neither needs libtorch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbx {

struct TaskName {
  std::string id, entry, category;
};

// Immutable after construction; any thread.
class TaskNames {
 public:
  TaskNames() = default;
  explicit TaskNames(std::vector<TaskName> tasks);

  // By id, by entry, else by id without regard to case. Null if there is none.
  const TaskName* find(std::string_view name) const;

  // The task that a path means: its stem ("gelu", "gelu.sample2"), else the nearest folder with a task's name. Null if none.
  const TaskName* of_path(std::string_view relative_path) const;

  // The task that a prompt asks for: the function announced as wrapper entry, else the only task whose function it mentions
  // as a call, else the only one that `answer` defines, else the only one mentioned at all. Null if it cannot be told.
  const TaskName* of_instruction(std::string_view instruction, std::string_view answer) const;

  // The ids nearest to `name` by edit distance, nearest first, at most three.
  std::vector<std::string> nearest(std::string_view name) const;

  // "unknown task `gleu`; did you mean gelu, selu or celu?"
  std::string unknown(std::string_view name) const;

  const std::vector<TaskName>& all() const { return tasks_; }

 private:
  std::vector<TaskName> tasks_;
};

// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string>& names);

// At most three of `names`, nearest to `name` by edit distance (insert, delete, replace, swap neighbours), case ignored.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names);

}  // namespace kbx
