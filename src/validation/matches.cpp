// SPDX-License-Identifier: Apache-2.0
#include "validation/matches.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "core/clock.h"
#include "oracle/judgement.h"
#include "oracle/oracle.h"
#include "pipeline/race.h"

namespace kbx {
namespace {

constexpr double kShortCall = 0.01;
constexpr size_t kSizesOnGpu = 4;

// Seconds of an eager call in this process, once it is warm; infinite where there is none.
double eager_seconds(const Task& task, const Case& c) {
  try {
    const auto call = bind(task, c, 0, at::kCPU);
    if (!call) return std::numeric_limits<double>::infinity();
    run_reference(*call);
    const auto start = Clock::now();
    run_reference(*call);
    return seconds_since(start);
  } catch (const c10::Error&) {
    return std::numeric_limits<double>::infinity();
  }
}

std::vector<const Task*> tasks_in_order_of(uint64_t seed) {
  std::vector<const Task*> tasks;
  for (const Task& task : catalogue())
    if (seeds_to_call(task, 0).size() == 1) tasks.push_back(&task);
  std::mt19937_64 random(derive_seed(seed, "matches"));
  std::ranges::shuffle(tasks, random);
  return tasks;
}

std::vector<Case> sizes_on_gpu(const Task& task, at::Device device, JudgeOptions options) {
  options.perf = Perf::full;
  std::vector<Case> cases = timed_cases(task, device, options);
  const auto own = static_cast<std::ptrdiff_t>(std::min(perf_cases_of(task, device.type()).size(), cases.size()));
  std::stable_sort(cases.begin() + own, cases.end(),
                   [](const Case& a, const Case& b) { return input_bytes(a) > input_bytes(b); });
  cases.resize(std::min(cases.size(), kSizesOnGpu));
  return cases;
}

std::vector<Match> matches_on_gpu(at::Device device, size_t pairs, const JudgeOptions& options) {
  std::vector<Match> all;
  size_t left = pairs;
  for (const Task* task : tasks_in_order_of(options.seed)) {
    if (left == 0) break;
    Match match{task, sizes_on_gpu(*task, device, options)};
    match.cases.resize(std::min(match.cases.size(), left));
    left -= match.cases.size();
    if (!match.cases.empty()) all.push_back(std::move(match));
  }
  return all;
}

std::vector<Match> matches_on_cpu(size_t pairs, const JudgeOptions& options) {
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
    for (size_t t = 0; t < tasks.size() && chosen.size() < pairs; ++t)
      if (round < cases[t].size())
        (eager_seconds(*tasks[t], cases[t][round]) > kShortCall ? slow : chosen).emplace_back(t, cases[t][round]);
  std::ranges::move(slow, std::back_inserter(chosen));
  chosen.resize(std::min(chosen.size(), pairs));

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

std::vector<Match> matches_of_equals(at::Device device, size_t pairs, const JudgeOptions& options) {
  return device.is_cuda() ? matches_on_gpu(device, pairs, options) : matches_on_cpu(pairs, options);
}

}  // namespace kbx
