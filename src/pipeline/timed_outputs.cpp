// SPDX-License-Identifier: Apache-2.0
#include "pipeline/timed_outputs.h"

#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "diagnose/access_patterns.h"
#include "diagnose/advice.h"
#include "oracle/judgement.h"
#include "pipeline/exchange.h"

namespace kbx {
namespace {

Failure wrong(const Heat& heat, const std::string& contract, const std::string& output, const std::string& detail,
              Diagnosis why) {
  Wrong w;
  w.line = heat.perf_case().line;
  w.contract = contract;
  w.output = output;
  w.detail = detail;
  w.pattern = why.pattern;
  Failure failure{std::move(w), "", {}};
  failure.diagnosis = {std::move(why)};
  return failure;
}

class Ring {
 public:
  Ring(const Heat& heat, Side& side, const std::vector<Call>& calls, std::vector<Delivery> deliveries, OracleSet oracle,
       int block)
      : heat_(heat), side_(side), calls_(calls), deliveries_(std::move(deliveries)), oracle_(oracle), block_(block) {
    for (size_t i = 0; i < calls.size(); ++i)
      expected_.push_back(is_oracles(i) ? *oracle.truth : heat.timed().run_eager(calls[i]));
  }

  std::optional<Failure> verify() {
    const std::vector<bool> doubted = doubts();
    if (std::ranges::none_of(doubted, std::identity())) return std::nullopt;
    if (const auto trespass = side_.runner().arena().red_zones_changed()) {
      const auto [set, name] = owner(trespass->buffer);
      return wrong(heat_, "integrity", name, fmt::format("memory around {} was overwritten in {}", name, call_text(set)),
                   diagnose_red_zone(name, trespass->distance));
    }
    for (size_t i = 0; i < calls_.size(); ++i)
      if (doubted[i])
        if (auto failure = verify_set(i)) return failure;
    return is_random() && oracle_.set >= 0 ? verify_distribution() : std::nullopt;
  }

 private:
  // Of a random task: all sets that the test takes together.
  bool is_oracles(size_t set) const {
    return oracle_.set >= 0 && (is_random() ? set < seeds().size() : static_cast<int>(set) == oracle_.set);
  }
  std::vector<uint64_t> seeds() const { return seeds_to_call(heat_.task(), heat_.first().seed); }
  bool is_random() const { return seeds().size() > 1; }
  std::string call_text(size_t set) const { return fmt::format("timed call {} of block {}", set + 1, block_); }

  // Of each set, whether it has to be looked at closely: all where a red zone differs. One wait for all.
  std::vector<bool> doubts() {
    std::vector<at::Tensor> flags{side_.runner().arena().red_zones_differ()};
    for (size_t i = 0; i < calls_.size(); ++i) {
      at::Tensor flag = side_.exchange(i).differs(calls_[i], expected_[i], deliveries_[i]);
      if (!is_oracles(i)) flag = flag.logical_or(heat_.timed().doubtful(calls_[i], expected_[i], deliveries_[i]));
      flags.push_back(std::move(flag));
    }
    const at::Tensor raised = at::stack(flags).cpu();
    const bool* raised_at = raised.const_data_ptr<bool>();
    std::vector<bool> doubted;
    for (size_t i = 0; i < calls_.size(); ++i) doubted.push_back(raised_at[0] || raised_at[i + 1] || is_oracles(i));
    return doubted;
  }

  // Buffers are numbered over all sets, which are laid out alike.
  std::pair<size_t, std::string> owner(size_t buffer) const {
    const size_t each = side_.exchange(0).buffers();
    return {buffer / each, side_.exchange(buffer / each).buffer_name(buffer % each)};
  }

  std::optional<Failure> verify_set(size_t i) {
    const Exchange& exchange = side_.exchange(i);
    if (const auto change = exchange.input_changed(calls_[i], expected_[i]))
      return wrong(heat_, "integrity", change->name, fmt::format("input {} was changed in {}", change->name, call_text(i)),
                   diagnose_changed_input(change->name, ""));
    if (exchange.changed_since(deliveries_[i]))
      return Failure{Dishonest{{fmt::format("an output was still being written after {} had returned", call_text(i))}}, "", {}};
    if (is_random()) return verify_draw(i);
    if (!is_oracles(i)) expected_[i] = heat_.timed().complete(calls_[i], std::move(expected_[i]));
    return verdict_on(judge_outputs(calls_[i], expected_[i], {deliveries_[i]}), i);
  }

  std::optional<Failure> verdict_on(const Judgement& judgement, size_t set) const {
    if (judgement.passed) return std::nullopt;
    const Finding& f = judgement.findings.front();
    const std::string detail = f.detail + fmt::format(" ({})", call_text(set));
    return wrong(heat_, f.contract, f.output, detail, diagnosis("wrong_when_timed", detail));
  }

  // The first sets were called with the seeds of the whole test.
  std::optional<Failure> verify_distribution() const {
    const std::vector<Delivery> drawn(deliveries_.begin(), deliveries_.begin() + static_cast<long>(seeds().size()));
    return verdict_on(judge_outputs(calls_.front(), *oracle_.truth, drawn), 0);
  }

  // A random result has no expected values; the correctness stages test its distribution. Here it has to be there, and finite.
  std::optional<Failure> verify_draw(size_t i) const {
    for (const Delivered& d : deliveries_[i]) {
      if (d.problem.empty() && (!d.value.is_floating_point() || d.value.isfinite().all().item<bool>())) continue;
      const std::string detail =
          fmt::format("{}: {}", call_text(i), d.problem.empty() ? "not all numbers are finite" : d.problem);
      return wrong(heat_, "stochastic", "", detail, diagnosis("wrong_when_timed", detail));
    }
    return std::nullopt;
  }

  const Heat& heat_;
  Side& side_;
  const std::vector<Call>& calls_;
  const std::vector<Delivery> deliveries_;
  const OracleSet oracle_;
  const int block_;
  std::vector<Expected> expected_;
};

}  // namespace

std::optional<Failure> verify_timed(const Heat& heat, Side& side, const std::vector<Call>& calls,
                                    std::vector<Delivery> deliveries, OracleSet oracle, int block) {
  return Ring(heat, side, calls, std::move(deliveries), oracle, block).verify();
}

}  // namespace kbx
