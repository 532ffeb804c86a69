// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compile_pass.h"

#include <algorithm>
#include <future>
#include <set>
#include <utility>

#include "core/clock.h"
#include "pipeline/exchange.h"
#include "pipeline/explain.h"
#include "pipeline/request.h"

namespace kbx {
namespace {

constexpr double kReportSeconds = 5, kHarvestSeconds = 20;

// One process that compiles what some cases launch.
class Pass {
 public:
  Pass(const Candidate& candidate, const TaskBench& bench, const JudgeOptions& options, std::unique_ptr<Runner> runner)
      : candidate_(candidate), bench_(bench), options_(options), runner_(std::move(runner)) {}

  // False: there is no function to call.
  bool load() {
    const auto loaded = runner_->load(load_request(bench_.task(), wire::Role::compile, candidate_.files.front().path, options_),
                                      options_.import_seconds);
    if (std::holds_alternative<Loaded>(loaded)) return true;
    compiled_.failure = failure_of(loaded, wire::Role::compile, "");
    compiled_.broke_off = outcome_summary(compiled_.failure->outcome);
    return false;
  }

  // False: this was the last one. `decides`: a kernel that does not compile makes a failure of the candidate.
  Result<bool> call(size_t index, bool decides) {
    auto call = bench_.host_inputs(index);
    if (!call) return call.error();
    runner_->arena().reset();
    auto exchange = Exchange::lay_out(*call, Expected{}, Language::triton, runner_->arena());
    if (!exchange) return exchange.error();
    exchange->write(*call, 0);
    const auto prepared = runner_->prepare(0, exchange->arguments(), exchange->argument_count(), {}, options_.call_seconds);
    if (!std::holds_alternative<Done>(prepared)) {
      compiled_.broke_off = outcome_summary(failure_of(prepared, wire::Role::compile, "").outcome);
      return false;
    }
    const auto reply = runner_->call({{0, call->seed}}, options_.import_seconds);
    if (std::holds_alternative<ReturnedCalls>(reply)) return true;
    // Outputs are garbage in this pass, so only the compiler's own complaints count.
    const auto* failed = std::get_if<Failed>(&reply);
    const bool complaint = failed && failed->at == wire::FailedAt::compile;
    if (complaint && !decides) return true;
    if (complaint)
      compiled_.failure = failure_of(*failed, "");
    else
      compiled_.broke_off = outcome_summary(failure_of(reply, wire::Role::compile, "").outcome);
    return false;
  }

  // What the process has seen, and its cache where that is `wanted`.
  Compiled finish(bool wanted) {
    if (const auto report = runner_->report(kReportSeconds); const auto* text = std::get_if<std::string>(&report))
      compiled_.census = parse_census(*text);
    if (wanted)
      if (auto harvest = runner_->harvest(kHarvestSeconds); auto* files = std::get_if<std::vector<RunnerFile>>(&harvest))
        compiled_.cache = std::move(*files);
    return std::move(compiled_);
  }

 private:
  const Candidate& candidate_;
  const TaskBench& bench_;
  const JudgeOptions& options_;
  std::unique_ptr<Runner> runner_;
  Compiled compiled_;
};

// `deciding`: below this index a case decides whether the candidate compiles.
Result<Compiled> pass_over(Zygotes& zygotes, const Candidate& candidate, const TaskBench& bench, const JudgeOptions& options,
                           const std::vector<size_t>& cases, size_t deciding, bool wants_cache) {
  const auto start = Clock::now();
  auto host = zygotes.get(wire::Role::compile);
  if (!host) return host.error();
  auto runner = (*host)->spawn(candidate);
  if (!runner) return runner.error();
  Pass pass(candidate, bench, options, *std::move(runner));
  if (pass.load())
    for (size_t index : cases) {
      const auto more = pass.call(index, index < deciding);
      if (!more) return more.error();
      if (!*more) break;
    }
  Compiled compiled = pass.finish(wants_cache);
  compiled.seconds = seconds_since(start);
  return compiled;
}

// Kernels and files of a pass over further cases.
void add(const Compiled& more, Compiled& all) {
  for (const KernelReport& k : more.census.kernels) {
    const auto same = [&](const KernelReport& o) {
      return o.name == k.name && o.registers == k.registers && o.shared_bytes == k.shared_bytes;
    };
    if (std::ranges::none_of(all.census.kernels, same)) all.census.kernels.push_back(k);
  }
  std::set<std::string> known;
  for (const RunnerFile& file : all.cache) known.insert(file.path);
  for (const RunnerFile& file : more.cache)
    if (known.insert(file.path).second) all.cache.push_back(file);
}

}  // namespace

Result<Compiled> compile_pass(Zygotes& zygotes, const Candidate& candidate, const TaskBench& bench, const JudgeOptions& options,
                              size_t begin, size_t end) {
  std::vector<size_t> cases;
  for (size_t i = begin; i < std::min(end, bench.size()); ++i) cases.push_back(i);
  return pass_over(zygotes, candidate, bench, options, cases, /*deciding=*/end, /*wants_cache=*/false);
}

Result<Compiled> compile_ahead(Zygotes& zygotes, const Candidate& candidate, const TaskBench& bench, const JudgeOptions& options,
                               size_t processes) {
  const auto start = Clock::now();
  // The first process gets the deciding cases, the others what is left in turn.
  std::vector<std::vector<size_t>> shares(std::max<size_t>(std::min(processes, bench.size()), 1));
  for (size_t i = 0; i < bench.size(); ++i)
    shares[i < kDecidingCases || shares.size() == 1 ? 0 : 1 + i % (shares.size() - 1)].push_back(i);
  const auto run = [&](const std::vector<size_t>& cases) {
    return pass_over(zygotes, candidate, bench, options, cases, kDecidingCases, /*wants_cache=*/true);
  };
  std::vector<std::future<Result<Compiled>>> others;
  for (size_t s = 1; s < shares.size(); ++s) others.push_back(std::async(std::launch::async, run, std::cref(shares[s])));
  auto first = run(shares[0]);
  for (auto& other : others)
    if (auto more = other.get(); more && first) add(*more, *first);
  if (first) first->seconds = seconds_since(start);
  return first;
}

}  // namespace kbx
