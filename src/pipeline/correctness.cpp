// SPDX-License-Identifier: Apache-2.0
#include "pipeline/correctness.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/clock.h"
#include "diagnose/access_patterns.h"
#include "diagnose/advice.h"
#include "diagnose/device_faults.h"
#include "oracle/judgement.h"
#include "oracle/published.h"
#include "pipeline/exchange.h"
#include "pipeline/explain.h"
#include "pipeline/failure.h"

namespace kbx {
namespace {

class Verification {
 public:
  Verification(Runner& runner, wire::Role role, TaskBench& bench, const JudgeOptions& options, Verdict& verdict)
      : runner_(runner), role_(role), bench_(bench), options_(options), verdict_(verdict) {}

  Result<Census> run(const std::atomic<bool>& cancelled) {
    for (size_t i = 0; i < bench_.size() && !stopped_ && !cancelled; ++i) {
      const Case& c = bench_.case_at(i);
      if (c.stage == Stage::boundary && options_.gate == Gate::paper) continue;
      const auto start = Clock::now();
      if (auto status = run_case(i); !status) return status.error();
      if (c.stage == Stage::standard && !stopped_ && !outcome_) run_fresh_contents(i);
      stage_seconds_[c.stage] += seconds_since(start);
    }
    for (Stage stage : {Stage::standard, Stage::outlier, Stage::boundary, Stage::published})
      if (stage_seconds_.contains(stage)) verdict_.times.push_back({name(stage), stage_seconds_[stage]});
    conclude();
    return std::move(census_);
  }

 private:
  Status run_case(size_t index) {
    const PreparedCase& p = bench_.at(index);
    if (!p.invalid.empty()) {
      verdict_.cases.push_back({p.c.line, p.c.stage, false, 0, "reference invalid: " + p.invalid});
      invalid_.insert(p.c.stage);
      return Done{};
    }
    runner_.arena().reset();
    // The published tests do not mind what becomes of the inputs.
    const Access inputs = by_paper() ? Access::write : Access::read;
    auto exchange = Exchange::lay_out(p.call, p.expected, verdict_.language, runner_.arena(), inputs);
    if (!exchange) return exchange.error();
    exchange_ = *std::move(exchange);
    const auto prepared =
        runner_.prepare(0, exchange_->arguments(), exchange_->argument_count(), exchange_->destinations(), kSetUpSeconds);
    if (!std::holds_alternative<Done>(prepared))
      stop(p, checked(failure_of(prepared, role_, p.c.line), p));
    else
      call_and_judge(p, "");
    return Done{};
  }

  // Other contents at the same addresses, then one changed element: results kept from an earlier call show here.
  void run_fresh_contents(size_t index) {
    for (uint64_t contents : {uint64_t{1}, TaskBench::kOneElement}) {
      if (contents == 1 && index > 0) continue;
      const PreparedCase& p = bench_.at(index, contents);
      const auto& first = bench_.at(index).expected.outputs;
      const bool same_layout =
          p.invalid.empty() && p.expected.outputs.size() == first.size() &&
          std::equal(first.begin(), first.end(), p.expected.outputs.begin(),
                     [](const Truth& a, const Truth& b) { return a.shape == b.shape && a.argument == b.argument; });
      if (!same_layout || stopped_ || outcome_) return;
      call_and_judge(p, contents == 1 ? "with fresh contents at the same addresses" : "with one element changed");
    }
  }

  void call_and_judge(const PreparedCase& p, const std::string& circumstances) {
    std::vector<Delivery> deliveries;
    for (uint64_t seed : seeds(p)) {
      const uint8_t poison = kPoison[calls_++ % std::size(kPoison)];
      exchange_->write(p.call, poison);
      runner_.arena().fill_red_zones(kRedZone);
      const double seconds = limit();
      if (seconds <= 0) return stop(p, out_of_time());
      synchronize(exchange_->device());
      const auto start = Clock::now();
      const double used = runner_.cpu_seconds();
      const bool shared = spent_ > 0;  // with earlier calls
      if (role_ == wire::Role::interpret) runner_.bound_cpu(used + left_to_interpret());
      const auto reply = runner_.call({{0, seed}}, seconds);
      spent_ += cost(seconds_since(start), runner_.cpu_seconds() - used);
      runner_.bound_cpu(std::numeric_limits<double>::infinity());
      const auto* returned = std::get_if<ReturnedCalls>(&reply);
      if (std::holds_alternative<Late>(reply) && shared && role_ == wire::Role::interpret) return stop(p, out_of_time());
      if (p.expected.raises) return judge_raising(p, reply);
      if (!returned) return stop(p, checked(failure_of(reply, role_, p.c.line), p));
      if (returned->calls.size() != 1) return stop(p, failure_of(Broken{"an answer to another number of calls"}, p.c.line));
      deliveries.push_back(exchange_->take(p.expected, returned->calls[0]));
      if (by_paper()) continue;  // it looks at nothing but the values
      if (const auto trespass = runner_.arena().red_zones_changed())
        return tampered(p, {Tampering::Kind::red_zone, exchange_->buffer_name(trespass->buffer), trespass->distance, 0});
      if (const auto change = exchange_->input_changed(p.call, p.expected)) return tampered(p, *change);
      if (const auto late = exchange_->changed_since(deliveries.back()))
        return stop(
            p,
            Failure{Dishonest{{fmt::format("output {} was still being written after the call had returned ({} elements changed)",
                                           late->name, late->elements)}},
                    ""});
      if (returned->bad_accesses > bad_accesses_) {
        bad_accesses_ = returned->bad_accesses;
        return bad_access(p);
      }
    }
    const Judgement judgement =
        by_paper() ? judge_published(p.call, p.expected, deliveries.front()) : judge_outputs(p.call, p.expected, deliveries);
    CaseResult result{p.c.line, p.c.stage, judgement.passed, judgement.ratio, circumstances};
    if (judgement.passed) {
      accuracy_ = std::max(accuracy_, judgement.accuracy);
    } else {
      KBX_CHECK(!judgement.findings.empty());
      const Finding& f = judgement.findings.front();
      result.note = circumstances.empty() ? f.detail : f.detail + " (" + circumstances + ")";
      if (!outcome_) {
        Wrong wrong{p.c.line, f.contract, f.output,         index_text(f.where), result.note,        f.actual, f.expected,
                    f.error,  f.budget,   f.wrong_elements, f.elements,          judgement.accuracy, ""};
        if (!by_paper())
          verdict_.diagnosis =
              explain_wrong({p.call, p.expected, deliveries.back(), judgement, {std::begin(kPoison), std::end(kPoison)}});
        if (!circumstances.empty()) explain_later_call(circumstances);
        blame_refused_launches();
        if (!verdict_.diagnosis.empty()) wrong.pattern = verdict_.diagnosis.front().pattern;
        outcome_ = std::move(wrong);
      }
      failed_.insert(p.c.stage);
    }
    verdict_.cases.push_back(std::move(result));
  }

  // What the judge filled an output with is no result of an earlier call.
  void explain_later_call(const std::string& circumstances) {
    const bool unwritten = std::ranges::any_of(
        verdict_.diagnosis, [](const Diagnosis& d) { return d.pattern == "not_written" || d.pattern == "stops_early"; });
    Diagnosis later =
        diagnosis(unwritten ? "first_call_only" : "stale_result", "right on the case's own contents, wrong " + circumstances);
    verdict_.diagnosis.insert(unwritten ? verdict_.diagnosis.end() : verdict_.diagnosis.begin(), std::move(later));
  }

  // An error of the call itself is what was wanted; the process must be alive after it. What ends a program (no `except
  // Exception` sees it) and want of memory are other failures.
  void judge_raising(const PreparedCase& p, const Reply<ReturnedCalls>& reply) {
    const auto* failed = std::get_if<Failed>(&reply);
    constexpr std::string_view kNoErrors[] = {"SystemExit", "KeyboardInterrupt", "GeneratorExit", "MemoryError", "cuda error"};
    const bool error = failed && std::ranges::find(kNoErrors, failed->kind) == std::end(kNoErrors);
    if (error && failed->at == wire::FailedAt::call) {
      // The published test compares the words as well.
      const bool same_words = failed->message.find(*p.expected.raises) != std::string::npos;
      if (!by_paper() || same_words) {
        verdict_.cases.push_back({p.c.line, p.c.stage, true, 0, ""});
        return;
      }
      return violated(
          p, "",
          fmt::format("raised \"{}\" where the published test wants the words \"{}\"", failed->message, *p.expected.raises), {},
          "exception");
    }
    if (!std::holds_alternative<ReturnedCalls>(reply)) return stop(p, checked(failure_of(reply, role_, p.c.line), p));
    violated(p, "", "returned where it has to raise: " + *p.expected.raises, {}, "exception");
  }

  bool on_gpu() const {
    return role_ == wire::Role::cuda || (role_ == wire::Role::native && verdict_.language == Language::cuda);
  }

  // A refused launch leaves no trace but what its kernel did not write.
  void blame_refused_launches() {
    if (!on_gpu()) return;
    const auto reply = runner_.report(kReportSeconds);
    const auto* text = std::get_if<std::string>(&reply);
    const Census census = text ? parse_census(*text) : Census{};
    if (!census.failed_launches.empty())
      verdict_.diagnosis.insert(verdict_.diagnosis.begin(), diagnose_refused_launch(census.failed_launches.front()));
  }

  bool by_paper() const { return options_.policy == Policy::paper; }

  std::vector<uint64_t> seeds(const PreparedCase& p) const {
    if (by_paper() || p.expected.raises) return {p.call.seed};
    return seeds_to_call(bench_.task(), p.call.seed);
  }

  void tampered(const PreparedCase& p, const Tampering& t) {
    const bool red_zone = t.kind == Tampering::Kind::red_zone;
    const std::string detail = red_zone ? fmt::format("memory {} {} was overwritten",
                                                      t.distance >= 0 ? fmt::format("{} bytes behind the end of", t.distance)
                                                                      : fmt::format("{} bytes before the start of", -t.distance),
                                                      t.name)
                                        : fmt::format("input {} was changed ({} elements)", t.name, t.elements);
    violated(p, t.name, detail, {red_zone ? diagnose_red_zone(t.name, t.distance) : diagnose_changed_input(t.name, "")});
  }

  void bad_access(const PreparedCase& p) {
    const auto reply = runner_.report(kReportSeconds);
    const auto* text = std::get_if<std::string>(&reply);
    const Census census = text ? parse_census(*text) : Census{};
    std::vector<Diagnosis> diagnosis = diagnose_accesses(census.accesses);
    const std::string detail = diagnosis.empty() ? "a kernel accessed memory outside of its buffers" : diagnosis.front().evidence;
    violated(p, census.accesses.empty() ? "" : census.accesses.front().buffer, detail, std::move(diagnosis));
  }

  // A rule other than the values was broken: wrong, whatever the values are.
  void violated(const PreparedCase& p, const std::string& output, const std::string& detail, std::vector<Diagnosis> diagnosis,
                const std::string& contract = "integrity") {
    verdict_.cases.push_back({p.c.line, p.c.stage, false, 0, detail});
    failed_.insert(p.c.stage);
    if (outcome_) return;
    Wrong wrong = broken_rule(p.c.line, output, detail, std::move(diagnosis));
    wrong.contract = contract;
    outcome_ = std::move(wrong);
  }

  // Also keeps the diagnosis.
  Wrong broken_rule(const std::string& line, const std::string& output, const std::string& detail,
                    std::vector<Diagnosis> diagnosis) {
    Wrong wrong;
    wrong.line = line;
    wrong.contract = "integrity";
    wrong.output = output;
    wrong.detail = detail;
    wrong.pattern = diagnosis.empty() ? "" : diagnosis.front().pattern;
    verdict_.diagnosis = std::move(diagnosis);
    return wrong;
  }

  void stop(const PreparedCase& p, Failure failure) {
    stopped_ = true;
    verdict_.cases.push_back({p.c.line, p.c.stage, false, 0, outcome_summary(failure.outcome)});
    failed_.insert(p.c.stage);
    if (outcome_) return;
    verdict_.diagnosis = explain_failure(failure);
    for (Diagnosis& d : verdict_.diagnosis) quote_assertion(d, runner_.output());
    if (!failure.log.empty()) verdict_.log = failure.log;
    outcome_ = std::move(failure.outcome);
  }

  // Seconds that the next call may take. What counts of an interpreted call is its processor time, so that a machine with
  // four times as much to do changes no verdict, and a part of the time that it took, so that waiting ends as well.
  double limit() const {
    if (role_ != wire::Role::interpret) return options_.call_seconds;
    return std::min(kPatience * left_to_interpret(), left_to_interpret() + kLongestWait);
  }
  double left_to_interpret() const { return options_.interpreter_seconds - spent_; }
  static double cost(double elapsed, double computed) {
    return computed > 0 ? std::clamp(computed, elapsed / kPatience, elapsed) : elapsed;
  }

  static Failure out_of_time() { return {NotJudged{"the interpreter's time for one candidate is used up; needs a GPU"}, ""}; }

  // "Cannot be judged here" is an excuse that a candidate might forge: then the real answer lies behind it in the channel.
  Failure checked(Failure failure, const PreparedCase& p) {
    const auto* excuse = std::get_if<NotJudged>(&failure.outcome);
    if (!excuse) return failure;
    if (role_ == wire::Role::native)
      return {Crashed{"its process can no longer be called: " + excuse->reason, p.c.line}, failure.log};
    const auto reply = runner_.report(kReportSeconds);
    return std::holds_alternative<Broken>(reply) ? failure_of(reply, role_, p.c.line) : failure;
  }

  void conclude() {
    const auto passed = [&](Stage stage) {
      return stage_seconds_.contains(stage) && !failed_.contains(stage) && !invalid_.contains(stage);
    };
    if (by_paper())
      verdict_.paper_gate = passed(Stage::published) && !stopped_;
    else
      verdict_.paper_gate =
          passed(Stage::standard) && !failed_.contains(Stage::outlier) && !invalid_.contains(Stage::outlier) && !stopped_early();
    verdict_.full_gate = verdict_.paper_gate && !by_paper() && options_.gate == Gate::full &&
                         !failed_.contains(Stage::boundary) && !invalid_.contains(Stage::boundary) && !stopped_;
    if (outcome_) {
      // What does not bind was not built, whichever case showed it.
      if (std::holds_alternative<BuildFailed>(*outcome_)) verdict_.paper_gate = verdict_.full_gate = false;
      verdict_.outcome = *std::move(outcome_);
      return;
    }
    if (!invalid_.empty()) {
      verdict_.outcome = NotJudged{"the reference itself fails on a case"};
      return;
    }
    // What cannot say what it ran has not earned a verdict of `correct`.
    const auto reply = runner_.report(kReportSeconds);
    const auto* text = std::get_if<std::string>(&reply);
    if (!text) {
      Failure failure = failure_of(reply, role_, "");
      verdict_.diagnosis = explain_failure(failure);
      verdict_.outcome = std::move(failure.outcome);
      return;
    }
    census_ = parse_census(*text);
    verdict_.operators = census_.operators;
    if (!census_.accesses.empty() && !by_paper()) {
      verdict_.paper_gate = verdict_.full_gate = false;
      std::vector<Diagnosis> diagnosis = diagnose_accesses(census_.accesses);
      const std::string detail = diagnosis.front().evidence;
      verdict_.outcome = broken_rule("", census_.accesses.front().buffer, detail, std::move(diagnosis));
      return;
    }
    Correct correct{accuracy_, authorship(verdict_.language, census_), std::nullopt};
    if (on_gpu()) {
      attribute(verdict_.language, census_);
      verdict_.gpu_kernels = census_.gpu_kernels;
      correct.own_share = own_share(census_);
      correct.authorship = authorship_on_gpu(verdict_.language, census_);
      if (!census_.gpu_seen) verdict_.log = "kernels on the GPU were not counted: " + census_.why_unseen;
    }
    verdict_.outcome = std::move(correct);
  }

  // A stop in the boundary stage leaves the paper's gate as it is.
  bool stopped_early() const { return stopped_ && !stage_seconds_.contains(Stage::boundary); }

  static std::string index_text(const std::vector<int64_t>& where) {
    return where.empty() ? "" : fmt::format("[{}]", fmt::join(where, ", "));
  }

  static constexpr double kReportSeconds = 5, kSetUpSeconds = 10;
  static constexpr double kPatience = 4, kLongestWait = 60;  // elapsed time per processor time

  Runner& runner_;
  wire::Role role_;
  TaskBench& bench_;
  const JudgeOptions& options_;
  Verdict& verdict_;
  std::optional<Exchange> exchange_;
  std::optional<Outcome> outcome_;  // of the first failure
  Census census_;
  std::set<Stage> failed_, invalid_;
  std::map<Stage, double> stage_seconds_;
  Accuracy accuracy_ = Accuracy::exact;
  bool stopped_ = false;
  size_t calls_ = 0;
  uint32_t bad_accesses_ = 0;
  double spent_ = 0;
};

}  // namespace

Result<Census> verify_candidate(Runner& runner, wire::Role role, TaskBench& bench, const JudgeOptions& options,
                                const std::atomic<bool>& cancelled, Verdict& verdict) {
  return Verification(runner, role, bench, options, verdict).run(cancelled);
}

}  // namespace kbx
