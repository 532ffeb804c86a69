// SPDX-License-Identifier: Apache-2.0
// JSON text from outside, with errors as values.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/result.h"

namespace kbx {

// Error: what is wrong, and at which line and column.
Result<nlohmann::json> parse_json(std::string_view text);

// One line of JSON text; strings that are not UTF-8 are repaired rather than refused.
std::string json_line(const nlohmann::json& value);

}  // namespace kbx
