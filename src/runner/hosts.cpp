// SPDX-License-Identifier: Apache-2.0
#include "runner/hosts.h"

#include <fmt/format.h>

#include <utility>

#include "core/installation.h"
#include "runner/arenas.h"
#include "runner/confinement.h"
#include "runner/program.h"
#include "runner/session.h"

namespace kbx {
namespace {

constexpr double kStartSeconds = 20;

class SandboxedChild final : public Child {
 public:
  explicit SandboxedChild(Process process) : process_(std::move(process)) {}
  int pidfd() const override { return process_.pidfd(); }
  uint64_t resident_bytes() const override { return process_.resident_bytes(); }
  void kill() override { process_.kill(); }
  Process::Exit wait() override { return process_.wait(); }

 private:
  Process process_;
};

// What a native runner is told on a GPU, so that it sees kernels. Tools that instrument kernels want CUDA for themselves.
std::vector<std::string> census_arguments(const Installation& installed, const RunnerOptions& options) {
  if (options.device < 0 || installed.census_library.empty() || !options.wrapper.empty()) return {};
  return {installed.census_library, installed.cupti_library};
}

}  // namespace

Result<std::unique_ptr<Runner>> start_program(const std::string& program, std::vector<std::string> paths,
                                              const RunnerOptions& options, const std::vector<std::string>& arguments) {
  const auto asked = std::chrono::steady_clock::now();
  auto arena = make_arena(options);
  if (!arena) return arena.error();
  auto channel = Channel::open();
  if (!channel) return channel.error();
  auto output = OutputPipe::open();
  if (!output) return output.error();

  paths.push_back(program);
  paths.insert(paths.end(), options.wrapper_paths.begin(), options.wrapper_paths.end());
  Launch plan;
  plan.argv = options.wrapper;
  plan.argv.push_back(program);
  plan.argv.insert(plan.argv.end(), arguments.begin(), arguments.end());
  plan.environment = runner_environment(options);
  plan.binds = bind_all(paths);
  plan.descriptors = {channel->second.get()};
  plan.output = output->child_end();
  plan.limits = options.limits;
  plan.layers = options.layers;
  plan.gpu = options.device >= 0;
  auto process = launch(plan);
  if (!process) return process.error();
  channel->second.close();
  output->forget_child_end();

  const wire::Lockdown lockdown = lockdown_for(options, process->reach(), /*may_exec=*/!options.wrapper.empty());
  Session::Parts parts{std::make_unique<SandboxedChild>(std::move(*process)), std::move(channel->first), std::move(*output),
                       std::move(*arena), options.limits.memory_bytes};
  auto session = std::make_unique<Session>(std::move(parts), asked);
  if (auto ready = session->lock_down(lockdown, kStartSeconds); !ready) return ready.error();
  return std::unique_ptr<Runner>(std::move(session));
}

Result<std::unique_ptr<Runner>> start_native_runner(const std::string& artifact, const RunnerOptions& options) {
  const auto installed = find_installation();
  if (!installed) return installed.error();
  std::vector<std::string> paths{artifact, installed->tvm_ffi_library};
  if (options.device >= 0) paths.push_back(installed->site_packages / "nvidia");  // the CUDA runtime that nvcc linked against
  const std::vector<std::string> arguments = census_arguments(*installed, options);
  if (!arguments.empty()) paths.push_back(arguments.front());
  return start_program(installed->runner_native, std::move(paths), options, arguments);
}

Result<std::unique_ptr<Runner>> start_baseline_runner(const RunnerOptions& options) {
  const auto installed = find_installation();
  if (!installed) return installed.error();
  std::vector<std::string> paths{installed->reference_library, installed->site_packages};
  const std::vector<std::string> arguments = census_arguments(*installed, options);
  if (!arguments.empty()) paths.push_back(arguments.front());
  return start_program(installed->runner_baseline, std::move(paths), options, arguments);
}

}  // namespace kbx
