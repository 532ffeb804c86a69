// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "build/toolchain.h"
#include "core/clock.h"
#include "core/installation.h"
#include "diagnose/sanitizer_report.h"
#include "pipeline/exchange.h"
#include "pipeline/request.h"
#include "pipeline/tool_runner.h"

namespace kbx {
namespace {

constexpr double kToolSeconds = 60;    // of calls under one tool
constexpr double kFinishSeconds = 20;  // until it has printed its summary
constexpr double kProbeSeconds = 30;

bool is_python(Language language) { return language == Language::triton; }

// What is printed for each thread would fill the pipe; a handful shows the place.
std::vector<std::string> command_line(const std::string& program, std::string_view tool) {
  std::vector<std::string> words{program, "--tool", std::string(tool), "--print-limit", "20", "--show-backtrace", "no"};
  if (tool == "memcheck") words.insert(words.end(), {"--report-api-errors", "no"});
  return words;
}

Result<ToolRunner> start_under(std::string_view tool, const RunnerOptions& options, const Candidate& candidate,
                               const std::string& artifact, const std::vector<RunnerFile>& cache) {
  const auto sanitizer = find_compute_sanitizer();
  if (!sanitizer) return sanitizer.error();
  return ToolRunner::start({command_line(sanitizer->program, tool), sanitizer->root}, options, candidate, artifact, cache);
}

// Why an empty runner does not live under the tool; empty if it does.
std::string problem(const RunnerOptions& options, Language language, const JudgeOptions& judging) {
  const auto installed = find_installation();
  if (!installed) return installed.error().text();
  Candidate nothing;
  nothing.language = language;
  nothing.files = {{"nothing.py", "\n"}};
  const std::string library = installed->lockdown_library;  // a library that holds no candidate
  auto started = start_under("memcheck", options, nothing, library, {});
  if (!started) return started.error().message;
  const auto memory = started->runner().arena().allocate(at::kByte, {64}, {1});
  if (!memory) return memory.error().message;
  LoadRequest request;
  request.role = is_python(language) ? wire::Role::cuda : wire::Role::native;
  request.path = is_python(language) ? nothing.files.front().path : library;
  request.entries = {"nothing"};
  request.schema = "nothing() -> Tensor";
  request.arch = judging.arch;
  // On the way to "there is no such function" it attaches the memory, for which it makes its context.
  const auto reply = started->runner().load(request, kProbeSeconds);
  const auto* failed = std::get_if<Failed>(&reply);
  const std::string said = started->finish(kFinishSeconds);
  if (failed && failed->at == wire::FailedAt::bind) return sanitizer_finished(said) ? "" : last_words(said);
  return fmt::format("{}; {}", failed ? failed->message : outcome_summary(failure_of(reply, request.role, "").outcome),
                     last_words(said));
}

// Calls the cases until something goes wrong: then the tool has seen it.
void call_cases(Runner& runner, wire::Role role, const Candidate& candidate, const std::string& path, TaskBench& bench,
                const JudgeOptions& options, const std::atomic<bool>& cancelled) {
  const auto start = Clock::now();
  LoadRequest request = load_request(bench.task(), role, path, options);
  request.flags = wire::kPoison;
  if (!std::holds_alternative<Loaded>(runner.load(request, kToolSeconds))) return;
  for (size_t i = 0; i < bench.size() && !cancelled; ++i) {
    const Stage stage = bench.case_at(i).stage;
    if (stage != Stage::standard && stage != Stage::published) continue;
    const PreparedCase& p = bench.at(i);
    if (!p.invalid.empty() || p.expected.raises) continue;
    runner.arena().reset();
    // Writable, so that the runner can clear the memory before the judge fills it.
    auto exchange = Exchange::lay_out(p.call, p.expected, candidate.language, runner.arena(), Access::write);
    if (!exchange) return;
    const auto left = [&] { return kToolSeconds - seconds_since(start); };
    const auto prepared = runner.prepare(0, exchange->arguments(), exchange->argument_count(), exchange->destinations(), left());
    if (!std::holds_alternative<Done>(prepared)) return;
    exchange->write(p.call, kPoison[i % std::size(kPoison)]);
    synchronize(exchange->device());
    if (!std::holds_alternative<ReturnedCalls>(runner.call({{0, p.call.seed}}, left()))) return;
  }
}

// The file as the candidate names it, where it is one of its own.
void name_file(const Candidate& candidate, SanitizerFinding& finding) {
  const auto own = [&](const SourceFile& file) { return finding.file == file.path || finding.file.ends_with("/" + file.path); };
  const auto found = std::ranges::find_if(candidate.files, own);
  finding.file = found != candidate.files.end() ? found->path : std::filesystem::path(finding.file).filename().string();
}

}  // namespace

Status SanitizedRuns::ready(Language language) {
  const bool python = is_python(language);
  if (const auto known = tried_.find(python); known != tried_.end()) return known->second;
  Status status = Done{};
  if (const auto tool = find_compute_sanitizer(); !tool) {
    status = tool.error();
  } else if (const std::string why = problem(runner_, language, options_); !why.empty()) {
    const bool boxed = runner_.layers.namespaces || runner_.layers.landlock || runner_.layers.seccomp;
    status = boxed ? Error{"compute-sanitizer cannot run inside the sandbox of this machine: " + why,
                           "--no-sandbox, for code that you trust"}
                   : Error{"compute-sanitizer does not work on this machine: " + why, "judge without --sanitize"};
  }
  return tried_.emplace(python, status).first->second;
}

void SanitizedRuns::examine(const Candidate& candidate, const Built& built, TaskBench& bench, const std::atomic<bool>& cancelled,
                            Verdict& verdict) {
  const auto begin = Clock::now();
  const bool python = is_python(candidate.language);
  const auto complain = [&](std::string_view tool, const std::string& why) {
    verdict.log += fmt::format("{}compute-sanitizer --tool {} gave no report: {}", verdict.log.empty() ? "" : "\n", tool, why);
  };
  for (std::string_view tool : kSanitizerTools) {
    if (cancelled) return;
    auto started = start_under(tool, runner_, candidate, built.artifact, built.compiled.cache);
    if (!started) {
      complain(tool, started.error().message);
      continue;
    }
    call_cases(started->runner(), python ? wire::Role::cuda : wire::Role::native, candidate,
               python ? candidate.files.front().path : built.artifact, bench, options_, cancelled);
    const std::string text = started->finish(kFinishSeconds);
    auto findings = parse_sanitizer_report(text);
    if (findings.empty() && !sanitizer_finished(text)) complain(tool, last_words(text));
    for (SanitizerFinding& finding : findings) {
      name_file(candidate, finding);
      verdict.diagnosis.push_back(diagnose_finding(tool, finding));
    }
  }
  verdict.times.push_back({"sanitize", seconds_since(begin)});
}

}  // namespace kbx
