// SPDX-License-Identifier: Apache-2.0
#include "validation/matches.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "core/clock.h"
#include "oracle/judgement.h"
#include "oracle/oracle.h"
#include "pipeline/exchange.h"
#include "pipeline/race.h"

namespace kbx {
namespace {

constexpr double kShortCall = 0.01;
constexpr size_t kSizesOnGpu = 4;

double seconds_of_reference(const Call& call, at::Device device) {
  synchronize(device);
  const auto start = Clock::now();
  run_reference(call);
  synchronize(device);
  return seconds_since(start);
}

// Whether an eager call in this process, once it is warm, takes little.
bool is_short(const Task& task, const Case& c, at::Device device) {
  constexpr double kHopeless = 1;
  try {
    const auto call = bind(task, c, 0, device);
    return call.ok() && seconds_of_reference(*call, device) < kHopeless && seconds_of_reference(*call, device) <= kShortCall;
  } catch (const c10::Error&) {
    return false;
  }
}

// Cases by task, and what is left of their number.
class Unraced {
 public:
  Unraced(size_t pairs, const std::vector<RacedPair>& done) : left_(pairs) {
    for (const RacedPair& p : done)
      if (p.kind == PairKind::aa && p.failed.empty() && raced_.emplace(p.task, p.line).second && left_ > 0) --left_;
  }
  size_t left() const { return left_; }
  bool has(const Task& task, const Case& c) const { return !raced_.contains({std::string(task.id), c.line}); }

 private:
  std::set<std::pair<std::string, std::string>> raced_;
  size_t left_;
};

std::vector<const Task*> tasks_in_order_of(uint64_t seed) {
  std::vector<const Task*> tasks;
  for (const Task& task : catalogue())
    if (seeds_to_call(task, 0).size() == 1) tasks.push_back(&task);
  std::mt19937_64 random(derive_seed(seed, "matches"));
  std::ranges::shuffle(tasks, random);
  return tasks;
}

std::vector<Case> sizes_on_gpu(const Task& task, at::Device device, JudgeOptions options, const Unraced& unraced) {
  options.perf = Perf::full;
  std::vector<Case> cases = timed_cases(task, device, options);
  const auto own = static_cast<std::ptrdiff_t>(std::min(perf_cases_of(task, device.type()).size(), cases.size()));
  std::stable_sort(cases.begin() + own, cases.end(),
                   [](const Case& a, const Case& b) { return input_bytes(a) > input_bytes(b); });
  std::vector<Case> chosen;
  for (Case& c : cases)
    if (chosen.size() < kSizesOnGpu && unraced.has(task, c) && is_short(task, c, device)) chosen.push_back(std::move(c));
  return chosen;
}

std::vector<Match> matches_on_gpu(at::Device device, const JudgeOptions& options, const Unraced& unraced,
                                  const std::atomic<bool>& cancelled) {
  std::vector<Match> all;
  size_t left = unraced.left();
  for (const Task* task : tasks_in_order_of(options.seed)) {
    if (left == 0 || cancelled) break;
    Match match{task, sizes_on_gpu(*task, device, options, unraced)};
    match.cases.resize(std::min(match.cases.size(), left));
    left -= match.cases.size();
    if (!match.cases.empty()) all.push_back(std::move(match));
  }
  return all;
}

std::vector<Match> matches_on_cpu(const JudgeOptions& options, const Unraced& unraced, const std::atomic<bool>& cancelled) {
  const std::vector<const Task*> tasks = tasks_in_order_of(options.seed);
  std::vector<std::vector<Case>> cases;
  size_t rounds = 0;
  for (const Task* task : tasks) {
    cases.push_back(perf_cases_of(*task, at::kCPU));
    rounds = std::max(rounds, cases.back().size());
  }
  using Choice = std::pair<size_t, Case>;  // index of the task
  std::vector<Choice> chosen, slow;
  for (size_t round = 0; round < rounds; ++round)
    for (size_t t = 0; t < tasks.size() && chosen.size() < unraced.left() && !cancelled; ++t)
      if (round < cases[t].size() && unraced.has(*tasks[t], cases[t][round]))
        (is_short(*tasks[t], cases[t][round], at::kCPU) ? chosen : slow).emplace_back(t, cases[t][round]);
  std::ranges::move(slow, std::back_inserter(chosen));
  chosen.resize(std::min(chosen.size(), unraced.left()));

  std::vector<Match> all;
  for (size_t t = 0; t < tasks.size(); ++t) {
    Match match{tasks[t], {}};
    for (Choice& choice : chosen)
      if (choice.first == t) match.cases.push_back(std::move(choice.second));
    if (!match.cases.empty()) all.push_back(std::move(match));
  }
  return all;
}

}  // namespace

std::vector<Match> matches_of_equals(at::Device device, size_t pairs, const JudgeOptions& options,
                                     const std::vector<RacedPair>& done, const std::atomic<bool>& cancelled) {
  const Unraced unraced(pairs, done);
  return device.is_cuda() ? matches_on_gpu(device, options, unraced, cancelled) : matches_on_cpu(options, unraced, cancelled);
}

}  // namespace kbx
