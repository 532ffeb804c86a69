// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

namespace kbx {

Result<nlohmann::json> parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    std::string what = e.what();
    if (const size_t end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    if (const size_t read = what.find("; last read"); read != std::string::npos) what.erase(read);  // may be the whole text
    return Error{what, ""};
  }
}

std::string json_line(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kbx
