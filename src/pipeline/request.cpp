// SPDX-License-Identifier: Apache-2.0
#include "pipeline/request.h"

#include <fmt/format.h>

#include "runner/gpu_properties.h"

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
  load.options = fmt::format(R"({{"append_seed": {}, "max_programs": {}}})", stochastic, options.max_programs);
  if (role == wire::Role::compile && options.device >= 0)
    if (const auto gpu = gpu_properties(options.device)) {
      load.arch = gpu->arch;
      load.options = fmt::format(R"({{"all_configurations": true, "device": {}}})", gpu->json);
    }
  return load;
}

}  // namespace kbx
