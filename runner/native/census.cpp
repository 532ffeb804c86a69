// SPDX-License-Identifier: Apache-2.0
#include "native/census.h"

#include <link.h>

#include <nlohmann/json.hpp>

#include "native/cuda_segments.h"
#include "native/device_census.h"

namespace kbx::runner {

std::set<std::string> loaded_libraries() {
  std::set<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
          static_cast<std::set<std::string>*>(out)->insert(info->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

std::string library_report(const std::set<std::string>& before, const std::string& candidate) {
  nlohmann::json libraries = nlohmann::json::array();
  for (const std::string& name : loaded_libraries())
    if (name != candidate && before.count(name) == 0) libraries.push_back(name);
  nlohmann::json report = nlohmann::json::parse(device_report(device_is_well()), nullptr, false);
  report["libraries"] = libraries;
  if (!why_unseen().empty()) report["why_unseen"] = why_unseen();
  return report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kbx::runner
