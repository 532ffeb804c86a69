// SPDX-License-Identifier: Apache-2.0
// The timing itself: sides that are called in random interleaved blocks, on contents of their own, with everything verified.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/result.h"
#include "measure/caches.h"
#include "measure/series.h"
#include "measure/spread.h"
#include "measure/watch.h"
#include "pipeline/failure.h"
#include "pipeline/heat.h"
#include "pipeline/options.h"
#include "pipeline/side.h"
#include "pipeline/timed_outputs.h"

namespace kbx {

// One block: what each side took, in the order of the sides.
struct BlockRecord {
  wire::Timing how = wire::Timing::each;
  int process = 0;
  std::vector<double> seconds;    // per call. each: by the judge's clock; queued: its pace; traced: the runner's GPU time
  std::vector<double> unclaimed;  // the judge's time per call, with what a native candidate takes to hand out, minus the claim
  std::string disturbed;          // why it does not count; empty if it does
  // Of messages that come before a sample, seconds that they take beyond their own calls at the sample's pace; empty without any.
  std::vector<double> before = {};
  double sample_calls = 1;
  // While the others had their turns: their seconds, and those of a processor that the candidate used meanwhile.
  double others_seconds = 0, meanwhile_seconds = 0;
};

// What a race keeps between its perf cases and processes. Use from one thread.
class Contest {
 public:
  // The candidate's outputs are verified; other baselines, which come behind it, have been before (as a candidate).
  static constexpr size_t kBaseline = 0, kCandidate = 1;

  // `options` outlives it.
  Contest(at::Device device, const JudgeOptions& options);

  // Sides of one group of processes. REQUIRES: at least two; they outlive the runs.
  void enter(std::vector<Side*> sides, int process);

  // Blocks of one perf case until `rule` is satisfied, appended to `blocks`. A Failure is the candidate's: a call failed, or an
  // output was not right. Error: ours, or of a baseline.
  Result<std::optional<Failure>> run(const Heat& heat, const StoppingRule& rule, const ProcessSpread& spread,
                                     const std::atomic<bool>& cancelled, std::vector<BlockRecord>& blocks);

  // Spent on warming up since it was asked last: compiling and tuning of all sides.
  double take_warm_up_seconds() { return std::exchange(warm_up_seconds_, 0); }

 private:
  struct Trouble {
    size_t side;
    Failure failure;
  };
  using Step = Result<std::optional<Trouble>>;

  Step set_up(size_t sets);
  Step warm_up();
  Step block(wire::Timing how, double seconds, BlockRecord& record);
  std::optional<Trouble> verify(const std::vector<Call>& calls, OracleSet oracle);
  // Whose turn it is, and how its calls are made.
  struct Turn {
    size_t side;
    wire::Timing how;
    double seconds;  // that an answer may take
  };
  struct Called {
    Side::Timed timed;
    double delivering;  // seconds that handing out the results took
    std::vector<Returned> returned;
  };
  // What one side's message of a block took, in seconds.
  struct Spent {
    double wall = 0;
    double hidden = 0;   // handing the results out, of a side that has nothing to copy
    double claimed = 0;  // per call
    double calls = 1;
    double before = 0;  // the messages before it, which make a call each
    int messages_before = 0;
  };
  std::optional<Trouble> time_side(const Turn& turn, std::span<const Call> calls, Spent& spent);
  void take(Side& side, const std::vector<Returned>& before, const std::vector<Returned>& sample);
  static void remember(std::vector<double>& times, double seconds);
  double beside_calls(wire::Timing how) const;
  void settle(const std::vector<Spent>& spent, BlockRecord& record) const;
  // Calls sets `first`, `first` + 1, ..., and has the results handed out.
  std::variant<Called, Failure> call_sets(const Turn& turn, std::span<const Call> calls, size_t first);
  size_t sets_called(wire::Timing how) const;
  Result<std::vector<Call>> draw(size_t sets, OracleSet& oracle, std::optional<Expected>& asked);
  wire::Timing next_kind(const std::vector<BlockRecord>& blocks) const;
  bool audited(const std::vector<BlockRecord>& blocks) const;
  uint64_t switches() const;
  Result<std::optional<Failure>> outcome(Trouble trouble) const;

  at::Device device_;
  const JudgeOptions& options_;
  bool gpu_, traces_;  // traces_: GPU times can be had, since CUPTI runs in the runners
  CacheFlush flush_;
  std::unique_ptr<Watch> watch_;
  Order order_;
  std::mt19937_64 secret_;
  std::vector<Side*> sides_;
  int process_ = 0;
  double warm_up_seconds_ = 0;
  std::map<wire::Timing, std::vector<double>> fixed_;  // what messages took lately beside their calls

  // Of the perf case at hand.
  const Heat* heat_ = nullptr;
  int block_ = 0;
  int asked_ = 0;                     // how often the oracle was
  bool may_ask_ = false;              // it is cheap enough to be asked again
  double verify_seconds_ = 0;         // what verifying one call took
  std::vector<Delivery> deliveries_;  // of the candidate in this block
  std::vector<double> empty_;         // what messages without calls took lately
  uint64_t contents_ = 0;
};

}  // namespace kbx
