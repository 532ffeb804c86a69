// SPDX-License-Identifier: Apache-2.0
#include "pipeline/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "build/toolchain.h"
#include "catalogue/cases.h"
#include "core/check.h"
#include "core/files.h"
#include "measure/ncu_report.h"
#include "oracle/oracle.h"
#include "pipeline/bench.h"
#include "pipeline/exchange.h"
#include "pipeline/failure.h"
#include "pipeline/request.h"
#include "pipeline/tool_runner.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

constexpr double kLoadSeconds = 60;
constexpr double kCallSeconds = 120;   // ncu repeats each kernel, and flushes the caches each time
constexpr double kFinishSeconds = 60;  // until ncu has written its report
constexpr uint64_t kReportBytes = 64u << 20;
// A bound only: device memory is taken as it is needed.
constexpr size_t kArenaBytes = size_t{1} << 40;

bool boxed(const Layers& layers) { return layers.namespaces || layers.landlock || layers.seccomp; }

// A folder for ncu's report, removed with it.
class ReportFolder {
 public:
  static Result<ReportFolder> make() {
    ReportFolder folder;
    std::string name = fs::temp_directory_path() / "kbx-counters-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      return Error{fmt::format("no folder for ncu's report in {}: {}", fs::temp_directory_path().string(), std::strerror(errno)),
                   "set TMPDIR to a folder that can be written"};
    folder.path_ = name;
    return folder;
  }
  ReportFolder(ReportFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~ReportFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  std::string log() const { return path_ / "ncu.csv"; }

 private:
  ReportFolder() = default;
  fs::path path_;
};

Result<Case> largest_case(const Task& task, at::Device device) {
  const std::vector<Case> cases = perf_cases_of(task, device.type());
  const auto largest = std::ranges::max_element(cases, {}, input_bytes);
  if (largest == cases.end()) return Error{fmt::format("task {} has no perf cases for this device", task.id), ""};
  return *largest;
}

// Loads the candidate and calls it twice.
Status call_twice(Runner& runner, const Candidate& candidate, const Built& built, const Call& call, const Expected& expected,
                  const JudgeOptions& options) {
  const bool python = candidate.language == Language::triton;
  const wire::Role role = python ? wire::Role::cuda : wire::Role::native;
  const auto trouble = [&](const auto& reply) {
    return Error{fmt::format("the candidate could not be called under ncu: {}",
                             outcome_summary(failure_of(reply, role, call.line).outcome)),
                 ""};
  };
  LoadRequest request = load_request(*call.task, role, python ? candidate.files.front().path : built.artifact, options);
  request.flags = wire::kTime | wire::kProfile;  // ncu and a census exclude each other
  if (const auto reply = runner.load(request, kLoadSeconds); !std::holds_alternative<Loaded>(reply)) return trouble(reply);
  // Writable, so that ncu can put back what a kernel changes before it repeats it.
  auto exchange = Exchange::lay_out(call, expected, candidate.language, runner.arena(), Access::write);
  if (!exchange) return exchange.error();
  const auto prepared =
      runner.prepare(0, exchange->arguments(), exchange->argument_count(), exchange->destinations(), kLoadSeconds);
  if (!std::holds_alternative<Done>(prepared)) return trouble(prepared);
  for (const uint8_t poison : kPoison) {
    exchange->write(call, poison);
    synchronize(exchange->device());
    if (const auto reply = runner.call({{0, call.seed}}, kCallSeconds); !std::holds_alternative<ReturnedCalls>(reply))
      return trouble(reply);
  }
  return Done{};
}

}  // namespace

Status counters_ready(const Layers& layers) {
  if (boxed(layers))
    return Error{"--counters: hardware counters cannot be read inside the sandbox", "--no-sandbox, for code that you trust"};
  if (const auto ncu = find_ncu(); !ncu) return ncu.error();
  return Done{};
}

std::vector<std::string> ncu_command(const std::string& ncu, const std::string& log) {
  return {ncu,
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--log-file",
          log,
          "--target-processes",
          "all",  // a Triton candidate's runner is a child
          "--profile-from-start",
          "off",
          "--cache-control",
          "all",
          "--clock-control",
          "none",
          "--metrics",
          ncu_metrics()};
}

Result<Counters> count_call(const Candidate& candidate, const Task& task, const Built& built, const JudgeOptions& options,
                            RunnerOptions runner) {
  KBX_CHECK(!boxed(runner.layers));
  const auto ncu = find_ncu();
  if (!ncu) return ncu.error();
  const at::Device device =
      options.gpu ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(options.gpu->ordinal)) : at::Device(at::kCPU);
  const auto largest = largest_case(task, device);
  if (!largest) return largest.error();
  const auto call = bind(task, *largest, derive_seed(options.seed, largest->line), device);
  if (!call) return call.error();
  const Expected expected = consult_oracle(*call);
  auto folder = ReportFolder::make();
  if (!folder) return folder.error();

  if (runner.device >= 0) runner.arena_bytes = kArenaBytes;
  auto started = ToolRunner::start({ncu_command(*ncu, folder->log()), "", /*follows_forks=*/false}, runner, candidate,
                                   built.artifact, built.compiled.cache);
  if (!started) return Error{"ncu: " + started.error().message, started.error().remedy};
  const Status called = call_twice(started->runner(), candidate, built, *call, expected, options);
  const std::string printed = started->finish(kFinishSeconds);
  const auto report = read_file(folder->log(), kReportBytes);
  if (!called) {
    // Where ncu may not read the counters it ends the runner.
    const auto why = report ? ncu_error(*report) : std::nullopt;
    return why ? Error{called.error().message + "; " + why->message, why->remedy} : called.error();
  }
  if (!report) return Error{"ncu wrote no report; " + last_words(printed), "run kbx doctor"};
  const auto kernels = parse_ncu_report(*report);
  if (!kernels) return kernels.error();
  Counters counters = sum_up(*kernels);
  counters.line = call->line;
  if (task.cost != nullptr) counters.least_bytes = task.cost(Args(*call), run_reference(*call)).bytes;
  return counters;
}

}  // namespace kbx
