// SPDX-License-Identifier: Apache-2.0
#include "pipeline/contest.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"
#include "core/clock.h"
#include "measure/statistics.h"
#include "measure/thread_scope.h"
#include "oracle/judgement.h"
#include "pipeline/bench.h"
#include "pipeline/standing.h"
#include "pipeline/timed_outputs.h"

namespace kbx {
namespace {

constexpr int kWarmUps = 2;                // blocks of a round
constexpr int kMostRounds = 4;             // of warming up, until the number of sets stays
constexpr double kWarmUpSeconds = 60;      // compiling and autotuning happen there
constexpr double kMessageSeconds = 0.04;   // that the calls of a message should take at most
constexpr double kVerifySeconds = 0.3;     // and verifying them
constexpr int64_t kRingBytes = 3ll << 30;  // of a side's sets together, and at most this part of a GPU's memory:
constexpr int64_t kRingShare = 32;         // both sides' rings, the contents, and what verifying takes have to fit
constexpr size_t kSetsOnCpu = 2, kFewSetsOnGpu = 4, kSetsOnGpu = 8, kMostSetsOnGpu = 32;
constexpr double kQueueSeconds = 2e-3;  // that queued calls should take: what a message takes beside them scatters by 0.1 ms
constexpr int kAsked = 4;               // calls of a perf case that the oracle is asked about
constexpr double kAskingShare = 0.03;   // of a perf case's time that asking once may take
constexpr size_t kRemembered = 30;      // of what messages take beside their calls
constexpr size_t kSetsForSlope = 3;     // a ring of more tells what a message takes beside its calls
constexpr double kSlowest = 10;         // a perf case ends after so many times its share of the time in any case
constexpr double kInstant = 1e-9;       // stands for a time of nothing

// That memory has room for.
size_t sets_for(const Heat& heat, const std::optional<Gpu>& gpu) {
  int64_t ring = kRingBytes;
  if (gpu && gpu->properties.contains("total_memory")) ring = std::min(ring, gpu->properties.at("total_memory") / kRingShare);
  const auto fit = static_cast<size_t>(ring / std::max<int64_t>(heat.set_bytes(), 1));
  return std::clamp<size_t>(fit, 1, gpu ? kMostSetsOnGpu : kSetsOnCpu);
}

// One that this process may use; not the one that it is on, if there is another. -1: it is not known which there are.
int some_core(std::mt19937_64& random) {
  cpu_set_t allowed;
  std::vector<int> cores;
  const int own = sched_getcpu();
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<size_t>(core), &allowed) && core != own) cores.push_back(core);
  return cores.empty() ? own : cores[random() % cores.size()];
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
  // One core for all, another for each group: what shares a core with others is slower, and not in the ratio.
  // Not where the calls are the host's own work, which has to get away from a core that others want too.
  if (const int core = options_.gpu ? some_core(secret_) : -1; core >= 0)
    for (Side* side : sides_) side->runner().keep_on_core(core);
  traces_ = gpu_;
  fixed_.clear();
}

Result<std::optional<Failure>> Contest::run(const Heat& heat, const StoppingRule& rule, const ProcessSpread& spread,
                                            const std::atomic<bool>& cancelled, std::vector<BlockRecord>& blocks) {
  heat_ = &heat;
  empty_.clear();
  block_ = asked_ = 0;
  may_ask_ = heat.oracle_seconds() < kAskingShare * rule.seconds;
  const auto cold = Clock::now();
  auto ready = warm_up();
  warm_up_seconds_ += seconds_since(cold);
  if (!ready) return ready.error();
  if (*ready) return outcome(**std::move(ready));

  const auto start = Clock::now();
  while (!cancelled) {
    BlockRecord record;
    auto done = block(next_kind(blocks), options_.call_seconds * static_cast<double>(sides_.front()->sets()), record);
    if (!done) return done.error();
    if (*done) {
      // Without CUPTI the judge's own clock has to do.
      const auto* refused = std::get_if<NotJudged>(&(*done)->failure.outcome);
      if (!refused || record.how != wire::Timing::traced) return outcome(**std::move(done));
      traces_ = false;
      continue;
    }
    blocks.push_back(std::move(record));
    const wire::Timing clock = deciding_clock(blocks, gpu_);
    const auto counting = blocks_of(blocks, clock, kBaseline, kCandidate);
    const double spent = seconds_since(start);
    if (spent > kSlowest * rule.seconds) break;
    if (audited(blocks) && !counting.empty() && settled(counting, rule, spent, spread.of(clock_name(clock)))) break;
  }
  return std::optional<Failure>();
}

Contest::Step Contest::set_up(size_t sets) {
  for (size_t s = 0; s < sides_.size(); ++s) {
    auto failure = sides_[s]->set_up(*heat_, sets);
    if (!failure) return failure.error();
    if (*failure) return std::optional(Trouble{s, **std::move(failure)});
  }
  return std::optional<Trouble>();
}

// With few sets at first: whoever compiles or tunes itself does it here. How long a call takes then decides how many sets there
// are; again, where calls got faster.
Contest::Step Contest::warm_up() {
  const size_t least = seeds_to_call(heat_->task(), 0).size(), most = std::max(sets_for(*heat_, options_.gpu), least);
  BlockRecord record;
  size_t sets = least;
  for (int round = 0; round < kMostRounds; ++round) {
    auto ready = set_up(sets);
    if (!ready || *ready) return ready;
    for (int i = 0; i < kWarmUps; ++i) {
      record = {};
      auto done = block(wire::Timing::each, kWarmUpSeconds, record);
      if (!done || *done) return done;
    }
    const double call = *std::ranges::max_element(record.seconds);
    const double fit = std::min(kMessageSeconds / call, kVerifySeconds / std::max(verify_seconds_, kInstant));
    const double useful = gpu_ ? std::max<double>(kFewSetsOnGpu, kQueueSeconds / call + kSetsForSlope) : kSetsOnCpu;
    const size_t wanted = std::clamp(static_cast<size_t>(std::min(fit, useful)), least, most);
    if (wanted == sets || (round > 0 && wanted < 2 * sets)) break;
    sets = wanted;
  }
  return std::optional<Trouble>();
}

// Whether there are enough blocks of the clocks that audit the one that decides: as many as an interval takes.
bool Contest::audited(const std::vector<BlockRecord>& blocks) const {
  constexpr int kLeastForAnInterval = 6;
  const auto waited =
      std::ranges::count_if(blocks, [&](const BlockRecord& b) { return b.how == wire::Timing::each && b.process == process_; });
  return waited >= kLeastForAnInterval;
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

Contest::Step Contest::block(wire::Timing how, double seconds, BlockRecord& record) {
  OracleSet oracle;
  std::optional<Expected> asked;
  auto calls = draw(sets_called(how), oracle, asked);
  if (!calls) return calls.error();
  record.how = how;
  record.process = process_;
  std::vector<Spent> spent(sides_.size());
  deliveries_.clear();
  watch_->begin(switches());
  for (int s : order_.next(static_cast<int>(sides_.size()))) {
    const auto side = static_cast<size_t>(s);
    const auto start = Clock::now();
    const double used = sides_[kCandidate]->runner().cpu_seconds();
    if (auto trouble = time_side({side, how, seconds}, *calls, spent[side])) return trouble;
    if (side == kCandidate) continue;
    record.meanwhile_seconds += sides_[kCandidate]->runner().cpu_seconds() - used;
    record.others_seconds += seconds_since(start);
  }
  record.disturbed = watch_->end(switches());
  settle(spent, record);
  auto verified = verify(*calls, oracle);
  ++block_;
  return verified;
}

// Queued calls are many, so that what their message takes beside them is little of it; the others need not be.
size_t Contest::sets_called(wire::Timing how) const {
  const size_t all = sides_.front()->sets();
  return gpu_ && how != wire::Timing::queued ? std::min(all, kSetsOnGpu) : all;
}

// Contents that nobody has seen: of every set its own, the same for all sides.
Result<std::vector<Call>> Contest::draw(size_t sets, OracleSet& oracle, std::optional<Expected>& asked) {
  const ThreadScope beside(judge_threads());
  const std::vector<uint64_t> seeds = seeds_to_call(heat_->task(), heat_->first().seed);
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
    auto call = heat_->contents(holds_own ? 0 : ++contents_);
    if (!call) return call.error();
    if (holds_own && random) call->seed = seeds[i];
    calls.push_back(*std::move(call));
  }
  if (again) asked = consult_oracle(calls[static_cast<size_t>(oracle.set)]);
  oracle.truth = asked ? &*asked : &heat_->truth();
  return calls;
}

std::optional<Contest::Trouble> Contest::time_side(const Turn& turn, std::span<const Call> calls, Spent& spent) {
  Side& side = *sides_[turn.side];
  side.write(calls, kPoison[static_cast<size_t>(block_) % std::size(kPoison)]);
  if (options_.caches == Caches::cold) flush_();
  synchronize(device_);
  const auto trouble = [&](Failure failure) { return std::optional(Trouble{turn.side, std::move(failure)}); };
  size_t first = 0;
  std::optional<double> single;
  std::vector<Returned> before;  // by the messages that come before the sample
  double before_seconds = 0;
  const auto keep = [&](Called& called) {
    std::ranges::move(called.returned, std::back_inserter(before));
    before_seconds += called.timed.wall;
  };
  if (turn.how != wire::Timing::traced) {
    // A GPU that another process has just used has to be handed over, which takes longer than many a call: the first set's call
    // bears that.
    if (gpu_ && calls.size() > 1) {
      auto woken = call_sets(turn, calls.first(1), first++);
      if (auto* failure = std::get_if<Failure>(&woken)) return trouble(std::move(*failure));
      keep(std::get<Called>(woken));
    }
    auto nothing = side.time_nothing(turn.seconds);
    if (auto* failure = std::get_if<Failure>(&nothing)) return trouble(std::move(*failure));
    remember(empty_, std::get<Side::Timed>(nothing).wall);
    // The same for all sides, so that none is better prepared for what follows.
    if (gpu_ && calls.size() > kSetsForSlope) {
      auto one = call_sets(turn, calls.subspan(first, 1), first);
      if (auto* failure = std::get_if<Failure>(&one)) return trouble(std::move(*failure));
      single = std::get<Called>(one).timed.wall;
      keep(std::get<Called>(one));
      ++first;
    }
  }
  auto answer = call_sets(turn, calls.subspan(first), first);
  if (auto* failure = std::get_if<Failure>(&answer)) return trouble(std::move(*failure));
  const auto& [timed, delivering, returned] = std::get<Called>(answer);
  if (turn.side == kCandidate) take(side, before, returned);
  const auto count = static_cast<double>(calls.size() - first);
  // Who has written its results already needs no time to hand them out. Others have them copied, which takes what it takes.
  spent = {.wall = timed.wall,
           .hidden = side.writes_results() ? delivering : 0,
           .calls = count,
           .before = before_seconds,
           .messages_before = static_cast<int>(before.size())};
  for (double c : timed.claimed) spent.claimed += c / count;
  // What is left of one call's message when a call is taken off, by the slope over the number of calls. Of the baseline, which
  // has no reason to be slow here, for all sides.
  if (single && turn.side == kBaseline) remember(fixed_[turn.how], *single - (timed.wall - *single) / (count - 1));
  return std::nullopt;
}

void Contest::remember(std::vector<double>& times, double seconds) {
  if (times.size() == kRemembered) times.erase(times.begin());
  times.push_back(seconds);
}

// What a message takes beside its calls: as the baseline's slope says, else as the least of those without calls, whichever side
// answered, so that a side that answers slowly shortens no call by it.
double Contest::beside_calls(wire::Timing how) const {
  const double empty = empty_.empty() ? 0 : *std::ranges::min_element(empty_);
  const auto known = fixed_.find(how);
  return known == fixed_.end() ? empty : std::max(median(known->second), empty);
}

void Contest::settle(const std::vector<Spent>& spent, BlockRecord& record) const {
  const double beside = beside_calls(record.how);
  for (const Spent& s : spent) {
    // The mean of the claims, not their median: a call may do the work of others.
    const double seconds = record.how == wire::Timing::traced ? s.claimed : (s.wall - beside) / s.calls;
    record.seconds.push_back(std::max(seconds, kInstant));
    record.unclaimed.push_back((s.wall + s.hidden - beside) / s.calls - s.claimed);
    record.sample_calls = s.calls;
    if (s.messages_before > 0) record.before.push_back(s.before - s.messages_before * record.seconds.back());
  }
}

// The sample's results at once: what a side still computes behind its answer has no time to arrive. Those of the messages before
// it not until now: to take them, the judge would use the GPU in between, and the sample would bear handing it over.
void Contest::take(Side& side, const std::vector<Returned>& before, const std::vector<Returned>& sample) {
  deliveries_.resize(before.size() + sample.size());
  const auto take_one = [&](size_t set, const Returned& r) { deliveries_[set] = side.exchange(set).take(heat_->truth(), r); };
  for (size_t i = 0; i < sample.size(); ++i) take_one(before.size() + i, sample[i]);
  for (size_t i = 0; i < before.size(); ++i) take_one(i, before[i]);
}

// They are handed out at once, and the time that this takes is nobody's to compute in.
std::variant<Contest::Called, Failure> Contest::call_sets(const Turn& turn, std::span<const Call> calls, size_t first) {
  Side& side = *sides_[turn.side];
  auto answer = side.time(turn.how, calls, first, turn.seconds);
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  const auto start = Clock::now();
  auto returned = side.deliver(turn.seconds);
  const double delivering = seconds_since(start);
  if (auto* failure = std::get_if<Failure>(&returned)) return std::move(*failure);
  auto& of_calls = std::get<std::vector<Returned>>(returned);
  KBX_CHECK_EQ(of_calls.size(), calls.size());
  return Called{std::get<Side::Timed>(std::move(answer)), delivering, std::move(of_calls)};
}

std::optional<Contest::Trouble> Contest::verify(const std::vector<Call>& calls, OracleSet oracle) {
  const ThreadScope beside(judge_threads());
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

Result<std::optional<Failure>> Contest::outcome(Trouble trouble) const {
  if (trouble.side == kCandidate) return std::optional(std::move(trouble.failure));
  return Error{fmt::format("{} of {} could not be timed on {}: {}", sides_[trouble.side]->name(), heat_->task().id,
                           heat_->perf_case().line, outcome_summary(trouble.failure.outcome)),
               sides_[trouble.side]->runner().output()};
}

}  // namespace kbx
