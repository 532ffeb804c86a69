// SPDX-License-Identifier: Apache-2.0
#include "pipeline/side.h"

#include "core/check.h"
#include "core/clock.h"

namespace kbx {
namespace {

constexpr double kSetUpSeconds = 20;

}  // namespace

Side::Side(std::string name, std::unique_ptr<Runner> runner, wire::Role role, Language layout, bool writes_results)
    : name_(std::move(name)), runner_(std::move(runner)), role_(role), layout_(layout), writes_results_(writes_results) {}

Result<std::optional<Failure>> Side::set_up(const Heat& heat, size_t sets) {
  line_ = heat.perf_case().line;
  exchanges_.clear();
  runner_->arena().reset();
  for (size_t i = 0; i < sets; ++i) {
    auto exchange = Exchange::lay_out(heat.first(), heat.truth(), layout_, runner_->arena());
    if (!exchange) return exchange.error();
    exchanges_.push_back(*std::move(exchange));
  }
  for (size_t i = 0; i < sets; ++i) {
    const Exchange& x = exchanges_[i];
    const auto prepared =
        runner_->prepare(static_cast<uint32_t>(i), x.arguments(), x.argument_count(), x.destinations(), kSetUpSeconds);
    if (!std::holds_alternative<Done>(prepared)) return std::optional(failure_of(prepared, role_, line_));
  }
  return std::optional<Failure>();
}

void Side::write(std::span<const Call> calls, uint8_t poison) {
  KBX_CHECK_LE(calls.size(), exchanges_.size());
  for (size_t i = 0; i < calls.size(); ++i) exchanges_[i].write(calls[i], poison);
  runner_->arena().fill_red_zones(kRedZone);
}

std::variant<Side::Timed, Failure> Side::time(wire::Timing how, std::span<const Call> calls, size_t first, double seconds) {
  std::vector<Runner::SetSeed> seeds;
  for (size_t i = 0; i < calls.size(); ++i) seeds.push_back({static_cast<uint32_t>(first + i), calls[i].seed});
  return timed(how, seeds, seconds);
}

std::variant<Side::Timed, Failure> Side::time_nothing(double seconds) { return timed(wire::Timing::each, {}, seconds); }

std::variant<Side::Timed, Failure> Side::timed(wire::Timing how, const std::vector<Runner::SetSeed>& calls, double seconds) {
  const auto start = Clock::now();
  const auto reply = runner_->time(how, calls, seconds);
  Timed timed{seconds_since(start), {}};
  const auto* claimed = std::get_if<std::vector<uint64_t>>(&reply);
  if (claimed == nullptr) return failure_of(reply, role_, line_);
  for (uint64_t ns : *claimed) timed.claimed.push_back(static_cast<double>(ns) * 1e-9);
  return timed;
}

std::variant<std::vector<Returned>, Failure> Side::deliver(double seconds) {
  const auto reply = runner_->deliver(seconds);
  const auto* answer = std::get_if<ReturnedCalls>(&reply);
  if (answer == nullptr) return failure_of(reply, role_, line_);
  return answer->calls;
}

}  // namespace kbx
