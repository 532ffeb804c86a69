// SPDX-License-Identifier: Apache-2.0
// One side of a race: a runner with a ring of prepared sets, all called by one message.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/candidate.h"
#include "pipeline/exchange.h"
#include "pipeline/failure.h"
#include "pipeline/heat.h"
#include "protocol/wire.h"
#include "runner/runner.h"

namespace kbx {

// Use from one thread.
class Side {
 public:
  // `layout`: in which form its calls are laid out. `writes_results`: its calls write into the judge's memory themselves, so that
  // nothing is copied when they are delivered. REQUIRES: the runner has loaded what it is to call.
  Side(std::string name, std::unique_ptr<Runner> runner, wire::Role role, Language layout, bool writes_results);

  const std::string& name() const { return name_; }
  bool writes_results() const { return writes_results_; }
  Runner& runner() { return *runner_; }
  std::unique_ptr<Runner> release() { return std::move(runner_); }

  // Lays out and prepares `sets` sets for the calls of `heat`, in place of those before. A Failure: the runner's. Error: ours.
  Result<std::optional<Failure>> set_up(const Heat& heat, size_t sets);
  size_t sets() const { return exchanges_.size(); }

  // One call for each of the first sets: contents written, outputs poisoned; red zones of all filled. REQUIRES: at most sets().
  void write(std::span<const Call> calls, uint8_t poison);

  // A message that calls sets `first`, `first` + 1, ... with `calls`, and one that calls nothing.
  struct Timed {
    double wall = 0;              // by the judge's clock, seconds
    std::vector<double> claimed;  // seconds: of each call; of queued ones their sum
  };
  std::variant<Timed, Failure> time(wire::Timing how, std::span<const Call> calls, size_t first, double seconds);
  std::variant<Timed, Failure> time_nothing(double seconds);

  // The results of the calls that were timed last, in the order of the sets, as `expected` of each wants them. `expected` may be
  // without values (TimedTruth::run_eager).
  std::variant<std::vector<Returned>, Failure> deliver(double seconds);
  const Exchange& exchange(size_t set) const { return exchanges_[set]; }

 private:
  std::variant<Timed, Failure> timed(wire::Timing how, const std::vector<Runner::SetSeed>& calls, double seconds);

  std::string name_, line_;
  std::unique_ptr<Runner> runner_;
  wire::Role role_;
  Language layout_;
  bool writes_results_;
  std::vector<Exchange> exchanges_;
};

}  // namespace kbx
