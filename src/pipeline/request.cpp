// SPDX-License-Identifier: Apache-2.0
#include "pipeline/request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kbx {

LoadRequest load_request(const Task& task, wire::Role role, const std::string& path, const JudgeOptions& options) {
  LoadRequest load;
  load.role = role;
  load.path = path;
  load.entries = {entry(task)};
  if (std::string(task.id) != load.entries.front()) load.entries.emplace_back(task.id);
  load.entries.emplace_back("kernel_function");
  load.schema = task.schema;
  load.flags = wire::kCensus | wire::kPoison;
  load.arch = options.arch;
  const bool stochastic = std::holds_alternative<Stochastic>(task.contract.front());
  nlohmann::json details{{"append_seed", stochastic}, {"max_programs", options.max_programs}};
  if (role == wire::Role::compile && options.gpu) {
    details["all_configurations"] = true;
    details["device"] = options.gpu->properties;
    details["device"]["name"] = options.gpu->name;
    details["device"]["major"] = options.gpu->arch / 10;
    details["device"]["minor"] = options.gpu->arch % 10;
  }
  load.options = details.dump();
  return load;
}

NativeBuildOptions native_build_options(const JudgeOptions& options) {
  NativeBuildOptions build;
  // On a real device all that it has: from Hopper on some instructions are of one architecture alone (sm_90a).
  build.arch = fmt::format("sm_{}{}", options.arch, options.gpu && options.arch >= 90 ? "a" : "");
  build.layers = options.layers;
  return build;
}

}  // namespace kbx
