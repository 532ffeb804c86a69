// SPDX-License-Identifier: Apache-2.0
// The catalogue as kbx-judge wrote it (share/kbx/catalogue.json): what `tasks`, `show` and error messages need of it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/result.h"
#include "intake/task_names.h"

namespace kbx {

// Tasks as JSON objects with at least the strings `id`, `category`, `entry`, `schema` and `contract`, in the file's order.
using TaskObjects = std::vector<nlohmann::ordered_json>;

// Error: the file is missing or damaged.
Result<TaskObjects> read_catalogue(const std::filesystem::path& file);

TaskNames task_names(const TaskObjects& tasks);

// Distinct categories in alphabetical order.
std::vector<std::string> categories(const TaskObjects& tasks);

// The category of that name, without regard to case, "_" and "-"; "" if there is none.
std::string category_named(const TaskObjects& tasks, const std::string& name);

}  // namespace kbx
