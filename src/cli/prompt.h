// SPDX-License-Identifier: Apache-2.0
// What a model (or a person) is told to write a candidate: all of the task but the reference's code and the run's seeds.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/candidate.h"

namespace kbx {

// Markdown. `task`: an object of catalogue.json. `device_sheet`: facts of the device, as Markdown; none where it is empty.
std::string prompt_of(const nlohmann::ordered_json& task, Language language, const std::string& device_sheet);

}  // namespace kbx
