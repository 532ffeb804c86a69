// SPDX-License-Identifier: Apache-2.0
#include "pipeline/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kbx {
namespace {

// Correctness cases hold a few megabytes; what needs more than this is eating memory.
constexpr uint64_t kHostMemory = 2ull << 30;
// For the rings of a timed runner, and of a GPU in all stages: memory is taken as it is needed.
constexpr size_t kArena = 32ull << 30;

}  // namespace

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

RunnerOptions runner_options(const JudgeOptions& options) {
  RunnerOptions o;
  o.layers = options.layers;
  o.device = options.device();
  o.threads = options.threads;
  if (options.gpu)
    o.arena_bytes = kArena;
  else
    o.limits.memory_bytes = kHostMemory;
  return o;
}

RunnerOptions timed_runner_options(const JudgeOptions& options) {
  RunnerOptions o = runner_options(options);
  o.arena_bytes = kArena;
  o.limits.file_bytes = std::max<uint64_t>(o.limits.file_bytes, 2 * kArena);
  return o;
}

}  // namespace kbx
