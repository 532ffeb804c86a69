// SPDX-License-Identifier: Apache-2.0
#include "pipeline/judge.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "build/native_build.h"
#include "catalogue/cases.h"
#include "catalogue/published/published.h"
#include "catalogue/task.h"
#include "core/clock.h"
#include "core/digest.h"
#include "pipeline/census.h"
#include "pipeline/correctness.h"
#include "pipeline/counters.h"
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

// Closes a verdict with an outcome that is not `correct`. What was not built passes no gate.
void conclude(Verdict& verdict, Failure failure) {
  if (std::holds_alternative<BuildFailed>(failure.outcome)) verdict.paper_gate = verdict.full_gate = false;
  verdict.diagnosis = explain_failure(failure);
  if (!failure.log.empty()) verdict.log = failure.log;
  verdict.outcome = std::move(failure.outcome);
}

bool runs_on_gpu(Language language) { return language != Language::cpp; }

// The first kernel that was interpreted and not compiled; empty if there is none.
std::string never_compiled(const Census& interpreted, const Census& compiled) {
  for (const KernelReport& k : interpreted.kernels) {
    const auto same_name = [&](const KernelReport& c) { return c.name == k.name; };
    if (std::none_of(compiled.kernels.begin(), compiled.kernels.end(), same_name)) return k.name;
  }
  return "";
}

}  // namespace

std::string verdict_key(const JudgeOptions& options, const std::string& environment, const Candidate& candidate) {
  const Task* task = find_task(candidate.task);
  const bool timed = options.perf != Perf::off;
  return sha256_hex(
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}{}{}{}{}{}", candidate.digest, task ? task_digest(*task) : "",
                  name(options.policy), name(options.gate), static_cast<int>(options.perf), options.arch, options.threads,
                  environment, kbx_version(), options.layers.level(), options.sanitize ? "\nsanitize" : "",
                  timed ? "\nrings" : "", timed && options.caches == Caches::warm ? "\nwarm" : "",
                  timed && options.compiled_baseline ? "\ncompile" : "", timed && options.counters ? "\ncounters" : ""));
}

Judge::Judge(JudgeOptions options)
    : options_(std::move(options)),
      environment_(environment_line(options_.gpu)),
      runner_(runner_options(options_)),
      zygotes_(runner_),
      timed_runner_(timed_runner_options(options_)),
      races_(device(), options_, timed_runner_, zygotes_) {
  if (!options_.gpu) return;
  zygotes_.start({wire::Role::compile, wire::Role::cuda});
  if (options_.sanitize) sanitized_.emplace(options_, runner_);
  ahead_.emplace([this](const Candidate& c, const Task& t) { return build_candidate(c, t, options_, zygotes_); },
                 [this](const Candidate& c, const Task& t, const Built& b) {
                   return start_candidate(c, t, b, options_, runner_, zygotes_);
                 });
}
Judge::~Judge() = default;

void Judge::expect(const Intake& intake) {
  const Task* task = find_task(intake.candidate.task);
  if (!ahead_ || !task || intake.unreadable || !runs_on_gpu(intake.candidate.language)) return;
  if (options_.policy == Policy::paper && published_cases_of(*task).empty()) return;
  ahead_->announce(intake.candidate, *task);
}

bool Judge::is_expected(const Intake& intake) { return ahead_ && ahead_->is_announced(intake.candidate); }

const Candidate& Judge::next() { return ahead_->next(); }

at::Device Judge::device() const {
  return options_.gpu ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(options_.gpu->ordinal)) : at::Device(at::kCPU);
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
    const auto status = judge_with(**bench, candidate, cancelled, judged);
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

Status Judge::judge_with(TaskBench& bench, const Candidate& candidate, const std::atomic<bool>& cancelled, Judged& judged) {
  const bool gpu = options_.gpu.has_value();
  if (runs_on_gpu(candidate.language) != gpu && candidate.language != Language::triton) {
    conclude(judged.verdict, {NotJudged{gpu ? "a C++ candidate runs on the CPU; use --device cpu"
                                            : "a CUDA candidate needs a GPU; use --device cuda"},
                              ""});
    return Done{};
  }
  if (gpu) return judge_on_gpu(candidate, bench, cancelled, judged);
  if (candidate.language == Language::triton) return judge_interpreted(candidate, bench, cancelled, judged.verdict);
  return judge_native(candidate, bench, cancelled, judged);
}

Result<Census> Judge::verify_loaded(Runner& runner, const Reply<Loaded>& loaded, wire::Role role, TaskBench& bench,
                                    const std::atomic<bool>& cancelled, Verdict& verdict) {
  Census census;
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

Result<Census> Judge::load_and_verify(Runner& runner, wire::Role role, const std::string& path, TaskBench& bench,
                                      const std::atomic<bool>& cancelled, Verdict& verdict) {
  const auto start = Clock::now();
  const auto loaded = runner.load(load_request(bench.task(), role, path, options_), options_.import_seconds);
  verdict.times.push_back({"start", runner.start_seconds()});
  verdict.times.push_back({"load", seconds_since(start)});
  return verify_loaded(runner, loaded, role, bench, cancelled, verdict);
}

Status Judge::judge_on_gpu(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled, Judged& judged) {
  Verdict& verdict = judged.verdict;
  if (sanitized_)
    if (auto can = sanitized_->ready(candidate.language); !can) return can.error();
  if (!ahead_->is_announced(candidate)) ahead_->announce(candidate, bench.task());
  const auto asked = Clock::now();
  for (size_t i = 0; i < bench.size() && !cancelled && !ahead_->is_ready(candidate); ++i) bench.at(i);
  auto ready = ahead_->take(candidate);
  verdict.times.push_back({"wait", seconds_since(asked)});
  if (!ready) return ready.error();
  Built& built = ready->built;
  verdict.times.push_back({"build", built.seconds});
  verdict.kernels = built.compiled.census.kernels;
  if (built.failure) {
    conclude(verdict, *std::move(built.failure));
    return Done{};
  }
  const Verdict before = verdict;
  for (Started started = *std::move(ready->started);;) {
    verdict.times.push_back({"start", started.seconds});
    const wire::Role role = candidate.language == Language::triton ? wire::Role::cuda : wire::Role::native;
    auto ran = verify_loaded(*started.runner, started.loaded, role, bench, cancelled, verdict);
    // A neighbour's memory, or what it did to the driver, must not decide about this one.
    const bool doubtful = ran && (std::holds_alternative<OutOfMemory>(verdict.outcome) ? started.beside || ahead_->accompanied()
                                                                                       : verdict.entry.empty() && started.beside);
    ahead_->retire(std::move(started.runner));
    if (!ran) return ran.error();
    if (!doubtful || cancelled) {
      if (auto measured = measure(candidate, built, bench.task(), cancelled, judged); !measured) return measured.error();
      if (sanitized_) sanitized_->examine(candidate, built, bench, cancelled, verdict);
      return Done{};
    }
    verdict = before;
    auto again = ahead_->start_alone(candidate, bench.task(), built);
    if (!again) return again.error();
    started = *std::move(again);
  }
}

Status Judge::judge_interpreted(const Candidate& candidate, TaskBench& bench, const std::atomic<bool>& cancelled,
                                Verdict& verdict) {
  zygotes_.start({wire::Role::interpret, wire::Role::compile});
  auto host = zygotes_.get(wire::Role::interpret);
  if (!host) return host.error();
  auto compiled =
      std::async(std::launch::async, [&] { return compile_pass(zygotes_, candidate, bench, options_, 0, kDecidingCases); });
  Result<Census> ran = Census{};
  if (auto runner = (*host)->spawn(candidate); runner)
    ran = load_and_verify(**runner, wire::Role::interpret, candidate.files.front().path, bench, cancelled, verdict);
  else
    ran = runner.error();
  auto build = compiled.get();
  if (!ran) return ran.error();
  if (!build) return build.error();
  // Kernels that the first cases did not launch: the others will.
  if (std::holds_alternative<Correct>(verdict.outcome) && !build->failure && !never_compiled(*ran, build->census).empty()) {
    auto rest = compile_pass(zygotes_, candidate, bench, options_, kDecidingCases, bench.size());
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
  } else if (std::holds_alternative<Correct>(verdict.outcome)) {
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
  const auto start = Clock::now();
  auto building = std::async(std::launch::async, [&] { return build_native(candidate, native_build_options(options_)); });
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
  auto runner = start_native_runner(artifact.path, runner_);
  if (!runner) return runner.error();
  if (auto ran = load_and_verify(**runner, wire::Role::native, artifact.path, bench, cancelled, verdict); !ran)
    return ran.error();
  runner->reset();

  Built native;
  native.artifact = artifact.path;
  return measure(candidate, native, bench.task(), cancelled, judged);
}

Status Judge::measure(const Candidate& candidate, const Built& built, const Task& task, const std::atomic<bool>& cancelled,
                      Judged& judged) {
  Verdict& verdict = judged.verdict;
  auto* correct = std::get_if<Correct>(&verdict.outcome);
  if (!correct || options_.perf == Perf::off || options_.only_case || cancelled) return Done{};
  const auto start = Clock::now();
  std::optional<Ahead::Quiet> quiet;
  if (ahead_) quiet.emplace(*ahead_);
  Result<RaceResult> raced = Error{"", ""};
  try {
    raced = races_.race(task, {&candidate, &built, verdict.entry, correct->accuracy}, cancelled);
  } catch (const c10::Error& e) {
    raced = Error{e.what_without_backtrace(), ""};
  }
  const double apart = raced ? raced->prepare_seconds + raced->warm_up_seconds : 0;
  if (raced && raced->prepare_seconds > 0) verdict.times.push_back({"perf_cases", raced->prepare_seconds});
  if (raced) verdict.times.push_back({"warm_up", raced->warm_up_seconds});
  verdict.times.push_back({"measure", seconds_since(start) - apart});
  if (!raced) {
    if (cancelled) return raced.error();
    // What is correct stays correct when its timing fails for reasons of ours.
    correct->efficiency.emplace().withheld = "it could not be timed: " + raced.error().message;
    verdict.log += (verdict.log.empty() ? "" : "\n") + raced.error().text();
    return Done{};
  }
  judged.samples = std::move(raced->samples);
  for (const std::string& line : raced->left_out)
    verdict.log += fmt::format("{}not timed, since its truth would take too long: {}", verdict.log.empty() ? "" : "\n", line);
  if (raced->failure && options_.policy == Policy::paper) {
    // The published rules do not look at the outputs of timed calls; they are worth no speedup all the same.
    correct->efficiency.emplace().withheld = "when it was timed: " + outcome_summary(raced->failure->outcome);
  } else if (raced->failure) {
    verdict.full_gate = false;
    conclude(verdict, *std::move(raced->failure));
  } else {
    correct->efficiency = std::move(raced->efficiency);
    if (options_.counters && !cancelled) {
      auto counted = count_call(candidate, task, built, options_, runner_);
      if (counted)
        correct->efficiency->counters.push_back(*std::move(counted));
      else
        verdict.log += (verdict.log.empty() ? "" : "\n") + ("--counters: " + counted.error().text());
    }
  }
  return Done{};
}

}  // namespace kbx
