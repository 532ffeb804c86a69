// SPDX-License-Identifier: Apache-2.0
#include "pipeline/judge.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "build/native_build.h"
#include "catalogue/published/published.h"
#include "catalogue/task.h"
#include "core/clock.h"
#include "core/digest.h"
#include "pipeline/census.h"
#include "pipeline/correctness.h"
#include "pipeline/environment.h"
#include "pipeline/exchange.h"
#include "pipeline/explain.h"
#include "pipeline/failure.h"
#include "pipeline/race.h"
#include "pipeline/request.h"

namespace kbx {
namespace {

// Prepared cases are the judge's largest possession; a run visits its tasks mostly in order.
constexpr size_t kWarmBenches = 6;
// Correctness cases hold a few megabytes; what needs more than this is eating memory.
constexpr uint64_t kHostMemory = 2ull << 30;
// Calls that the compile pass makes: the first ones differ in shape and type.
constexpr size_t kCompiledCases = 2;

// Closes a verdict with an outcome that is not `correct`. What was not built passes no gate.
void conclude(Verdict& verdict, Failure failure) {
  if (std::holds_alternative<BuildFailed>(failure.outcome)) verdict.paper_gate = verdict.full_gate = false;
  verdict.diagnosis = explain_failure(failure);
  if (!failure.log.empty()) verdict.log = failure.log;
  verdict.outcome = std::move(failure.outcome);
}

// The first kernel that was interpreted and not compiled; empty if there is none.
std::string never_compiled(const Census& interpreted, const Census& compiled) {
  for (const KernelReport& k : interpreted.kernels) {
    const auto same_name = [&](const KernelReport& c) { return c.name == k.name; };
    if (std::none_of(compiled.kernels.begin(), compiled.kernels.end(), same_name)) return k.name;
  }
  return "";
}

}  // namespace

// What Triton's compiler said, without running anything.
struct Judge::Compiled {
  std::optional<Failure> failure;  // the compiler's own complaint
  std::string broke_off;           // why the pass ended early otherwise; empty if it did not
  Census census;
  double seconds = 0;
};

Judge::Judge(JudgeOptions options) : options_(std::move(options)), environment_(environment_line(options_.device)) {}
Judge::~Judge() = default;

at::Device Judge::device() const {
  return options_.device < 0 ? at::Device(at::kCPU) : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(options_.device));
}

RunnerOptions Judge::runner_options() const {
  RunnerOptions o;
  o.layers = options_.layers;
  o.device = options_.device;
  o.threads = options_.threads;
  if (options_.device < 0) o.limits.memory_bytes = kHostMemory;
  return o;
}

std::string Judge::key(const Candidate& candidate) const {
  const Task* task = find_task(candidate.task);
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", candidate.digest, task ? task_digest(*task) : "",
                                name(options_.policy), name(options_.gate), static_cast<int>(options_.perf), options_.arch,
                                options_.threads, environment_, kbx_version(), options_.layers.level()));
}

Result<TaskBench*> Judge::bench_for(const Task& task) {
  for (auto it = benches_.begin(); it != benches_.end(); ++it) {
    if (&it->task() != &task) continue;
    benches_.splice(benches_.begin(), benches_, it);
    return &benches_.front();
  }
  auto bench = TaskBench::open(task, options_.policy, options_.seed, device(), options_.only_case);
  if (!bench) return bench.error();
  benches_.push_front(*std::move(bench));
  if (benches_.size() > kWarmBenches) benches_.pop_back();
  return &benches_.front();
}

Result<Zygote*> Judge::zygote(wire::Role role) {
  auto& slot = zygotes_[static_cast<int>(role) - static_cast<int>(wire::Role::interpret)];
  if (!slot) {
    RunnerOptions runner = runner_options();
    runner.threads = 1;                                   // a process that forks must have one thread
    if (role == wire::Role::compile) runner.device = -1;  // it compiles for a GPU and needs none
    auto started = Zygote::start(role, runner);
    if (!started) return started.error();
    slot = *std::move(started);
  }
  return slot.get();
}

Result<Judged> Judge::judge(const Intake& intake, const std::atomic<bool>& cancelled) {
  const auto start = Clock::now();
  const Candidate& candidate = intake.candidate;
  Judged judged;
  Verdict& verdict = judged.verdict;
  verdict.candidate = candidate.id;
  verdict.task = candidate.task;
  verdict.digest = candidate.digest;
  verdict.language = candidate.language;
  verdict.provenance.policy = name(options_.policy);
  verdict.provenance.gate = name(options_.gate);
  verdict.provenance.device = device().str();
  verdict.provenance.sandbox = options_.layers.level();
  verdict.provenance.environment = environment_;
  verdict.provenance.seed = options_.seed;
  verdict.provenance.kbx_version = kbx_version();
  const Task* task = find_task(candidate.task);
  if (task) {
    verdict.category = name(task->category);
    verdict.provenance.task_digest = task_digest(*task);
  }
  if (intake.unreadable) {
    conclude(verdict, {*intake.unreadable, ""});
    return judged;
  }
  if (!task) {
    conclude(verdict, {Unreadable{fmt::format("unknown task `{}`", candidate.task)}, ""});
    return judged;
  }
  // One of the two places where exceptions of the libraries below end; the other is main.
  try {
    auto bench = bench_for(*task);
    if (!bench) return bench.error();
    if ((*bench)->size() == 0) {
      const Published* published = find_published(task->id);
      conclude(
          verdict,
          {NotJudged{fmt::format("no published call can be made: {}", published ? published->left_out : "there is none")}, ""});
      return judged;
    }
    const double oracle_before = (*bench)->oracle_seconds();
    const auto status = candidate.language == Language::triton ? judge_python(candidate, **bench, cancelled, verdict)
                                                               : judge_native(candidate, **bench, cancelled, judged);
    if (cancelled) return Error{"interrupted", ""};
    if (!status) return status.error();
    verdict.times.push_back({"oracle", (*bench)->oracle_seconds() - oracle_before});
  } catch (const c10::Error& e) {
    return Error{fmt::format("judging {} failed in libtorch: {}", candidate.id, e.what_without_backtrace()), ""};
  } catch (const std::exception& e) {
    return Error{fmt::format("judging {} failed: {}", candidate.id, e.what()), ""};
  }
  verdict.times.push_back({"total", seconds_since(start)});
  return judged;
}

Result<Census> Judge::load_and_verify(Runner& runner, wire::Role role, const std::string& path, TaskBench& bench,
                                      const std::atomic<bool>& cancelled, Verdict& verdict) {
  const auto start = Clock::now();
  Census census;
  const auto loaded = runner.load(load_request(bench.task(), role, path, options_), options_.import_seconds);
  verdict.times.push_back({"start", runner.start_seconds()});
  verdict.times.push_back({"load", seconds_since(start)});
  if (const auto* ok = std::get_if<Loaded>(&loaded)) {
    verdict.entry = ok->entry;
    auto ran = verify_candidate(runner, role, bench, options_, cancelled, verdict);
    if (!ran) return ran.error();
    census = *std::move(ran);
  } else {
    conclude(verdict, failure_of(loaded, role, ""));
  }
  if (const std::string printed = runner.output(); !printed.empty() && !std::holds_alternative<Correct>(verdict.outcome))
    verdict.log += (verdict.log.empty() ? "" : "\n--- printed by the candidate ---\n") + printed;
  return census;
}

Result<Judge::Compiled> Judge::compile_python(const Candidate& candidate, const TaskBench& bench, size_t begin, size_t end) {
  const auto start = Clock::now();
  auto host = zygote(wire::Role::compile);
  if (!host) return host.error();
  auto spawned = (*host)->spawn(candidate);
  if (!spawned) return spawned.error();
  Runner& runner = **spawned;
  Compiled compiled;
  const auto loaded = runner.load(load_request(bench.task(), wire::Role::compile, candidate.files.front().path, options_),
                                  options_.import_seconds);
  if (!std::holds_alternative<Loaded>(loaded)) {
    compiled.failure = failure_of(loaded, wire::Role::compile, "");
    compiled.broke_off = outcome_summary(compiled.failure->outcome);
    return compiled;
  }
  for (size_t i = begin; i < std::min(end, bench.size()) && !compiled.failure; ++i) {
    auto call = bench.host_inputs(i);
    if (!call) return call.error();
    runner.arena().reset();
    auto exchange = Exchange::lay_out(*call, Expected{}, Language::triton, runner.arena());
    if (!exchange) return exchange.error();
    exchange->write(*call, 0);
    const auto prepared = runner.prepare(0, exchange->arguments(), exchange->argument_count(), {}, options_.call_seconds);
    if (!std::holds_alternative<Done>(prepared)) {
      compiled.broke_off = outcome_summary(failure_of(prepared, wire::Role::compile, "").outcome);
      break;
    }
    const auto reply = runner.call({{0, call->seed}}, options_.import_seconds);
    // Outputs are garbage in this pass, so only the compiler's own complaints count.
    if (const auto* failed = std::get_if<Failed>(&reply); failed && failed->at == wire::FailedAt::compile)
      compiled.failure = failure_of(*failed, "");
    else if (!std::holds_alternative<ReturnedCalls>(reply))
      compiled.broke_off = outcome_summary(failure_of(reply, wire::Role::compile, "").outcome);
    if (!compiled.broke_off.empty()) break;
  }
  const auto report = runner.report(5);
  if (const auto* text = std::get_if<std::string>(&report)) compiled.census = parse_census(*text);
  compiled.seconds = seconds_since(start);
  return compiled;
}

Status Judge::judge_python(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Verdict& verdict) {
  const wire::Role role = options_.device < 0 ? wire::Role::interpret : wire::Role::cuda;
  auto starting = std::async(std::launch::async, [&] { return zygote(wire::Role::compile); });
  auto host = zygote(role);
  auto compiler = starting.get();
  if (!host) return host.error();
  if (!compiler) return compiler.error();
  auto compiled = std::async(std::launch::async, [&] { return compile_python(candidate, bench, 0, kCompiledCases); });
  Result<Census> ran = Census{};
  if (auto runner = (*host)->spawn(candidate); runner)
    ran = load_and_verify(**runner, role, candidate.files.front().path, bench, cancelled, verdict);
  else
    ran = runner.error();
  auto build = compiled.get();
  if (!ran) return ran.error();
  if (!build) return build.error();
  // Kernels that the first cases did not launch: the others will.
  if (role == wire::Role::interpret && std::holds_alternative<Correct>(verdict.outcome) && !build->failure &&
      !never_compiled(*ran, build->census).empty()) {
    auto rest = compile_python(candidate, bench, kCompiledCases, bench.size());
    if (!rest) return rest.error();
    rest->seconds += build->seconds;
    rest->census.kernels.insert(rest->census.kernels.begin(), build->census.kernels.begin(), build->census.kernels.end());
    build = std::move(rest);
  }
  verdict.kernels = build->census.kernels;
  verdict.times.push_back({"build", build->seconds});
  if (std::holds_alternative<Unreadable>(verdict.outcome)) return Done{};
  // A kernel that only the interpreter accepts does not exist.
  if (build->failure && std::holds_alternative<BuildFailed>(build->failure->outcome)) {
    conclude(verdict, *std::move(build->failure));
  } else if (role == wire::Role::interpret && std::holds_alternative<Correct>(verdict.outcome)) {
    const std::string missing = never_compiled(*ran, build->census);
    const std::string& why = build->broke_off.empty() ? build->census.why_not_followed : build->broke_off;
    if (!missing.empty())
      conclude(verdict, {NotJudged{fmt::format("Triton's compiler never saw kernel {}, so nothing shows that it compiles{}{}",
                                               missing, why.empty() ? "" : ": ", why)},
                         ""});
  }
  return Done{};
}

Status Judge::judge_native(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Judged& judged) {
  Verdict& verdict = judged.verdict;
  if (candidate.language == Language::cuda && options_.device < 0) {
    conclude(verdict, {NotJudged{"a CUDA candidate needs a GPU; use --device cuda"}, ""});
    return Done{};
  }
  NativeBuildOptions build_options;
  build_options.arch = fmt::format("sm_{}", options_.arch);
  build_options.layers = options_.layers;
  const auto start = Clock::now();
  auto building = std::async(std::launch::async, [&] { return build_native(candidate, build_options); });
  for (size_t i = 0; i < bench.size() && !cancelled && building.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
       ++i)
    bench.at(i);
  auto built = building.get();
  if (!built) return built.error();
  verdict.times.push_back({"build", seconds_since(start)});
  if (auto* failed = std::get_if<BuildFailed>(&*built)) {
    conclude(verdict, {*failed, failed->reason});
    return Done{};
  }
  const Artifact& artifact = std::get<Artifact>(*built);
  auto runner = start_native_runner(artifact.path, runner_options());
  if (!runner) return runner.error();
  if (auto ran = load_and_verify(**runner, wire::Role::native, artifact.path, bench, cancelled, verdict); !ran)
    return ran.error();
  runner->reset();

  auto* correct = std::get_if<Correct>(&verdict.outcome);
  const bool timed = correct && options_.perf != Perf::off && options_.policy != Policy::paper && options_.device < 0 &&
                     !options_.only_case && !cancelled;
  if (!timed) return Done{};
  const auto race_start = Clock::now();
  auto raced = race(bench.task(), artifact.path, verdict.entry, options_, cancelled);
  if (!raced) return raced.error();
  verdict.times.push_back({"measure", seconds_since(race_start)});
  if (raced->failure) {
    verdict.full_gate = false;
    judged.samples.clear();
    conclude(verdict, {*std::move(raced->failure), "", std::move(raced->diagnosis)});
  } else {
    correct->efficiency = std::move(raced->efficiency);
    judged.samples = std::move(raced->samples);
  }
  return Done{};
}

}  // namespace kbx
