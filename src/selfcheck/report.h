// SPDX-License-Identifier: Apache-2.0
// Reports as JSON, and what the table shows of them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "selfcheck/check.h"

namespace kbx {

nlohmann::json to_json(const TaskReport& report);
// REQUIRES: made by to_json().
TaskReport report_from_json(const nlohmann::json& json);

// A task in one line.
struct Summary {
  int honest = 0, degraded = 0, mutants = 0;  // that make a difference here, allowed ones included
  int rejected_mutants = 0;
  const Trial* largest_honest = nullptr;     // the honest variant with the largest ratio
  const Trial* smallest_degraded = nullptr;  // the degraded one whose largest ratio is the smallest
};
// Points into `report`.
Summary summary_of(const TaskReport& report);

// "0.13", "4.2e+05", "inf".
std::string ratio_text(double ratio);

// The table as Markdown, with what it was made by, and where.
std::string markdown(const std::vector<TaskReport>& reports, const std::string& command, const std::string& device,
                     const std::string& environment);

}  // namespace kbx
