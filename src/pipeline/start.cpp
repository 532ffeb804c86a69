// SPDX-License-Identifier: Apache-2.0
#include "pipeline/start.h"

#include "build/native_build.h"
#include "core/clock.h"
#include "pipeline/request.h"

namespace kbx {
namespace {

// What the compiler said settles it; that the module did not load without a GPU does not, unless it does not even parse.
bool settles(const Failure& failure) {
  return std::holds_alternative<BuildFailed>(failure.outcome) || std::holds_alternative<Unreadable>(failure.outcome);
}

}  // namespace

Result<Built> build_candidate(const Candidate& candidate, const Task& task, const JudgeOptions& options, Zygotes& zygotes) {
  const auto start = Clock::now();
  Built built;
  if (candidate.language == Language::triton) {
    auto bench = TaskBench::open(task, options.policy, options.seed, at::kCPU, options.only_case);
    if (!bench) return bench.error();
    auto compiled = compile_ahead(zygotes, candidate, *bench, options, options.compilers);
    if (!compiled) return compiled.error();
    built.compiled = *std::move(compiled);
    if (built.compiled.failure && settles(*built.compiled.failure)) built.failure = built.compiled.failure;
  } else {
    auto library = build_native(candidate, native_build_options(options));
    if (!library) return library.error();
    if (auto* failed = std::get_if<BuildFailed>(&*library))
      built.failure = Failure{*failed, failed->reason};
    else
      built.artifact = std::get<Artifact>(*library).path;
  }
  built.seconds = seconds_since(start);
  return built;
}

Result<Started> start_candidate(const Candidate& candidate, const Task& task, const Built& built, const JudgeOptions& options,
                                const RunnerOptions& runner_options, Zygotes& zygotes) {
  const auto begin = Clock::now();
  const bool python = candidate.language == Language::triton;
  Started started;
  if (python) {
    auto host = zygotes.get(wire::Role::cuda);
    if (!host) return host.error();
    auto runner = (*host)->spawn(candidate, built.compiled.cache);
    if (!runner) return runner.error();
    started.runner = *std::move(runner);
  } else {
    auto runner = start_native_runner(built.artifact, runner_options);
    if (!runner) return runner.error();
    started.runner = *std::move(runner);
  }
  const LoadRequest request = load_request(task, python ? wire::Role::cuda : wire::Role::native,
                                           python ? candidate.files.front().path : built.artifact, options);
  started.loaded = started.runner->load(request, options.import_seconds);
  started.seconds = seconds_since(begin);
  return started;
}

}  // namespace kbx
