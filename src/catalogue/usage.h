// SPDX-License-Identifier: Apache-2.0
// What the cases of a task call it with, argument by argument: for prompts, and for the test that no argument is left alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "catalogue/task.h"

namespace kbx {

struct ArgumentUse {
  std::string name;
  bool left_out = false;         // some case leaves it at its default
  std::set<std::string> values;  // as written, where no recipe stands: "none", "3", "[0,1]", "tanh", "like"
  std::set<std::string> dtypes;  // of recipes: "f32", "i64", ...
  std::set<size_t> dimensions;   // of recipes
  std::set<std::string> mods;    // of recipes, without their parameters: "strided", "scale", ...
  bool empty = false;            // some recipe has no elements
};

// Parallel to the schema's arguments. Over all written cases, the timed ones included; calls that have to raise only count for
// `values` and `left_out`.
std::vector<ArgumentUse> usage_of(const Task& task);

}  // namespace kbx
