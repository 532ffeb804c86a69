// SPDX-License-Identifier: Apache-2.0
#include "pipeline/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/clock.h"
#include "oracle/judgement.h"
#include "pipeline/bench.h"
#include "pipeline/standing.h"
#include "pipeline/timed_outputs.h"

namespace kbx {
namespace {

constexpr int kWarmUps = 2;
constexpr double kWarmUpSeconds = 60;     // compiling and autotuning happen there
constexpr double kMessageSeconds = 0.04;  // that the calls of a message should take at most
constexpr int64_t kRingBytes = 1 << 30;   // of a side's sets together
constexpr size_t kSetsOnCpu = 2, kSetsOnGpu = 8;
constexpr int kAsked = 4;              // calls of a perf case that the oracle is asked about
constexpr double kAskingShare = 0.03;  // of a perf case's time that asking once may take
constexpr size_t kRememberedEmpty = 30;
constexpr double kSlowest = 10;    // a perf case ends after so many times its share of the time in any case
constexpr double kInstant = 1e-9;  // stands for a time of nothing

size_t sets_for(const Heat& heat, bool gpu) {
  const auto fit = static_cast<size_t>(kRingBytes / std::max<int64_t>(heat.set_bytes(), 1));
  return std::clamp<size_t>(fit, 1, gpu ? kSetsOnGpu : kSetsOnCpu);
}

}  // namespace

Contest::Contest(at::Device device, const JudgeOptions& options)
    : device_(device),
      options_(options),
      gpu_(device.is_cuda()),
      traces_(gpu_),
      flush_(device),
      watch_(make_watch(device)),
      order_(derive_seed(options.seed, "order")),
      secret_(derive_seed(options.seed, "asked")) {}

void Contest::enter(std::vector<Side*> sides, int process) {
  KBX_CHECK_GE(sides.size(), size_t{2});
  sides_ = std::move(sides);
  process_ = process;
}

Result<std::optional<Failure>> Contest::run(const Heat& heat, const StoppingRule& rule, double process_spread,
                                            const std::atomic<bool>& cancelled, std::vector<BlockRecord>& blocks) {
  heat_ = &heat;
  empty_.clear();
  block_ = asked_ = 0;
  may_ask_ = heat.oracle_seconds() < kAskingShare * rule.seconds;
  auto ready = warm_up(heat);
  if (!ready) return ready.error();
  if (*ready) return outcome(heat, **std::move(ready));
  size_t sets = sets_for(heat, gpu_);
  const double slowest = std::max({warm_seconds_, verify_seconds_, kInstant});
  sets = std::clamp<size_t>(static_cast<size_t>(kMessageSeconds / slowest), 1, sets);
  ready = set_up(heat, std::max(sets, seeds_to_call(heat.task(), 0).size()));
  if (!ready) return ready.error();
  if (*ready) return outcome(heat, **std::move(ready));

  const auto start = Clock::now();
  while (!cancelled) {
    BlockRecord record;
    auto done = block(heat, next_kind(blocks), options_.call_seconds * static_cast<double>(sides_.front()->sets()), record);
    if (!done) return done.error();
    if (*done) {
      // Without CUPTI the judge's own clock has to do.
      const auto* refused = std::get_if<NotJudged>(&(*done)->failure.outcome);
      if (!refused || record.how != wire::Timing::traced) return outcome(heat, **std::move(done));
      traces_ = false;
      continue;
    }
    blocks.push_back(std::move(record));
    const auto counting = blocks_of(blocks, deciding_clock(blocks, gpu_), kBaseline, kCandidate);
    const double spent = seconds_since(start);
    if (!counting.empty() && (settled(counting, rule, spent, process_spread) || spent > kSlowest * rule.seconds)) break;
  }
  return std::optional<Failure>();
}

Contest::Step Contest::set_up(const Heat& heat, size_t sets) {
  for (size_t s = 0; s < sides_.size(); ++s) {
    auto failure = sides_[s]->set_up(heat, sets);
    if (!failure) return failure.error();
    if (*failure) return std::optional(Trouble{s, **std::move(failure)});
  }
  return std::optional<Trouble>();
}

// Few sets: whoever compiles or tunes itself does it here, and how long a call takes decides how many sets there will be.
Contest::Step Contest::warm_up(const Heat& heat) {
  auto ready = set_up(heat, seeds_to_call(heat.task(), 0).size());
  if (!ready || *ready) return ready;
  BlockRecord record;
  for (int i = 0; i < kWarmUps; ++i) {
    record = {};
    auto done = block(heat, wire::Timing::each, kWarmUpSeconds, record);
    if (!done || *done) return done;
  }
  warm_seconds_ = *std::ranges::max_element(record.seconds);
  return std::optional<Trouble>();
}

// Half of the blocks are of the clock that decides; the others audit it.
wire::Timing Contest::next_kind(const std::vector<BlockRecord>& blocks) const {
  using enum wire::Timing;
  if (!gpu_) return each;
  const bool paced = !traces_ || (!blocks.empty() && deciding_clock(blocks, gpu_) == queued);
  switch (block_ % 4) {
    case 1:
      return each;
    case 3:
      return paced && traces_ ? traced : queued;
    default:
      return paced ? queued : traced;
  }
}

Contest::Step Contest::block(const Heat& heat, wire::Timing how, double seconds, BlockRecord& record) {
  OracleSet oracle;
  std::optional<Expected> asked;
  auto calls = draw(heat, sides_.front()->sets(), oracle, asked);
  if (!calls) return calls.error();
  record.how = how;
  record.process = process_;
  record.seconds.assign(sides_.size(), 0);
  record.unclaimed.assign(sides_.size(), 0);
  deliveries_.clear();
  watch_->begin(switches());
  for (int s : order_.next(static_cast<int>(sides_.size()))) {
    auto trouble = time_side(static_cast<size_t>(s), how, *calls, seconds, record);
    if (trouble) return trouble;
  }
  record.disturbed = watch_->end(switches());
  auto verified = verify(*calls, oracle);
  ++block_;
  return verified;
}

// Contents that nobody has seen: of every set its own, the same for all sides.
Result<std::vector<Call>> Contest::draw(const Heat& heat, size_t sets, OracleSet& oracle, std::optional<Expected>& asked) {
  const std::vector<uint64_t> seeds = seeds_to_call(heat.task(), heat.first().seed);
  const bool random = seeds.size() > 1;
  std::vector<Call> calls;
  // The heat's own contents once in a process; later calls that the oracle is asked about come when nobody expects them.
  const bool own = asked_ == 0, again = !own && may_ask_ && !random && asked_ < kAsked && secret_() % 4 == 0;
  if (own || again) {
    oracle.set = random ? 0 : static_cast<int>(secret_() % sets);
    ++asked_;
  }
  for (size_t i = 0; i < sets; ++i) {
    const bool holds_own = own && (random ? i < seeds.size() : static_cast<int>(i) == oracle.set);
    auto call = heat.contents(holds_own ? 0 : ++contents_);
    if (!call) return call.error();
    if (holds_own && random) call->seed = seeds[i];
    calls.push_back(*std::move(call));
  }
  if (again) asked = consult_oracle(calls[static_cast<size_t>(oracle.set)]);
  oracle.truth = asked ? &*asked : &heat.truth();
  return calls;
}

std::optional<Contest::Trouble> Contest::time_side(size_t s, wire::Timing how, const std::vector<Call>& calls, double seconds,
                                                   BlockRecord& record) {
  Side& side = *sides_[s];
  const Turn turn{s, how, seconds};
  side.write(calls, kPoison[static_cast<size_t>(block_) % std::size(kPoison)]);
  if (options_.caches == Caches::cold) flush_();
  synchronize(device_);
  size_t first = 0;
  if (how != wire::Timing::traced) {
    // A GPU that another process has just used has to be handed over, which takes longer than many a call: the first set's call
    // bears that. Then nothing at all, for what a message takes by itself.
    if (gpu_ && calls.size() > 1) {
      auto woken = call_sets(turn, std::span(calls).first(1), first);
      if (auto* failure = std::get_if<Failure>(&woken)) return Trouble{s, std::move(*failure)};
      first = 1;
    }
    auto nothing = side.time_nothing(seconds);
    if (auto* failure = std::get_if<Failure>(&nothing)) return Trouble{s, std::move(*failure)};
    if (empty_.size() == kRememberedEmpty) empty_.erase(empty_.begin());
    empty_.push_back(std::get<Side::Timed>(nothing).wall);
  }
  auto answer = call_sets(turn, std::span(calls).subspan(first), first);
  if (auto* failure = std::get_if<Failure>(&answer)) return Trouble{s, std::move(*failure)};
  const auto& [timed, delivering] = std::get<Called>(answer);
  const auto count = static_cast<double>(calls.size() - first);
  // The mean, not the median: a call may do the work of others.
  double claimed = 0;
  for (double c : timed.claimed) claimed += c / count;
  const double empty = empty_.empty() ? 0 : *std::ranges::min_element(empty_);
  record.seconds[s] = std::max(how == wire::Timing::traced ? claimed : (timed.wall - empty) / count, kInstant);
  record.unclaimed[s] = (timed.wall + delivering - empty) / count - claimed;
  return std::nullopt;
}

// The results are taken at once: what a side still computes behind its answer has no time to arrive, and the time that handing
// them out takes is nobody's to compute in.
std::variant<Contest::Called, Failure> Contest::call_sets(const Turn& turn, std::span<const Call> calls, size_t first) {
  Side& side = *sides_[turn.side];
  auto answer = side.time(turn.how, calls, first, turn.seconds);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto start = Clock::now();
  auto returned = side.deliver(turn.seconds);
  const double delivering = seconds_since(start);
  if (auto* failure = std::get_if<Failure>(&returned)) return std::move(*failure);
  if (turn.side == kCandidate) {
    const auto& answers = std::get<std::vector<Returned>>(returned);
    for (size_t i = 0; i < calls.size(); ++i) deliveries_.push_back(side.exchange(first + i).take(heat_->truth(), answers.at(i)));
  }
  return Called{std::get<Side::Timed>(std::move(answer)), delivering};
}

std::optional<Contest::Trouble> Contest::verify(const std::vector<Call>& calls, OracleSet oracle) {
  const auto start = Clock::now();
  auto failure = verify_timed(*heat_, *sides_[kCandidate], calls, std::move(deliveries_), oracle, block_);
  if (failure) return Trouble{kCandidate, *std::move(failure)};
  verify_seconds_ = seconds_since(start) / static_cast<double>(calls.size());
  return std::nullopt;
}

uint64_t Contest::switches() const {
  uint64_t sum = 0;
  if (!gpu_)
    for (Side* side : sides_) sum += side->runner().involuntary_switches();
  return sum;
}

Result<std::optional<Failure>> Contest::outcome(const Heat& heat, Trouble trouble) const {
  if (trouble.side == kCandidate) return std::optional(std::move(trouble.failure));
  return Error{fmt::format("{} of {} could not be timed on {}: {}", sides_[trouble.side]->name(), heat.task().id,
                           heat.perf_case().line, outcome_summary(trouble.failure.outcome)),
               sides_[trouble.side]->runner().output()};
}

}  // namespace kbx
