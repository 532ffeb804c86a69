// SPDX-License-Identifier: Apache-2.0
#include "validation/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "measure/statistics.h"

namespace kbx {
namespace {

constexpr int kPairs = 200, kRaces = 20;
constexpr double kWrong = 0.01, kSlower = 0.95, kCoverage = 0.95, kCoverageOff = 0.03 + 1e-9;
constexpr size_t kSingle = 30;    // pairs with a single process that are enough for a spread of their own
constexpr double kNarrow = 0.01;  // half-width of the log-ratio's interval

int processes_of(const RacedPair& p) {
  std::set<int> processes;
  for (const Block& b : p.blocks) processes.insert(b.process);
  return static_cast<int>(processes.size());
}

// By process, the log-ratios of the blocks that count, in their order.
std::map<int, std::vector<double>> log_ratios(const RacedPair& p) {
  std::map<int, std::vector<double>> by_process;
  for (const Block& b : counted(p.blocks, p.least)) by_process[b.process].push_back(std::log(b.baseline / b.candidate));
  return by_process;
}

void count(Classes& c, const Interval& ratio, double truth) {
  const std::string name = speed_class(ratio);
  ++c.pairs;
  c.faster += name == "faster";
  c.slower += name == "slower";
  c.tie += name == "tie";
  c.unclear += name == "unclear";
  c.covered += std::log(ratio.low) <= truth && truth <= std::log(ratio.high);
}

// Their mean. Few may cancel by luck: of fewer than kSingle, that of an uncalibrated device unless the mean is above it, or two
// standard errors above the mean are below it.
double variance_of(const std::vector<double>& products) {
  constexpr double kUnknown = 0.01 * 0.01;
  const auto n = static_cast<double>(products.size());
  const double mean = std::accumulate(products.begin(), products.end(), 0.0) / n;
  double squares = 0;
  for (const double p : products) squares += (p - mean) * (p - mean);
  const double margin = 2 * std::sqrt(squares / (n - 1) / n);
  return products.size() >= kSingle ? std::max(mean, 0.0) : std::max(mean, std::min(mean + margin, kUnknown));
}

double share(int part, int whole) { return whole == 0 ? 0 : static_cast<double>(part) / whole; }

}  // namespace

std::map<std::string, Noise> noise_of(const std::vector<RacedPair>& pairs) {
  struct Products {
    std::vector<double> single, several;
  };
  std::map<std::string, Products> by_clock;
  for (const RacedPair& p : pairs) {
    if (p.kind != PairKind::aa || !p.failed.empty()) continue;
    for (const auto& [process, ratios] : log_ratios(p)) {
      if (ratios.size() < 2) continue;
      std::vector<double> halves[2];
      for (size_t i = 0; i < ratios.size(); ++i) halves[i % 2].push_back(ratios[i] - p.truth);
      Products& of = by_clock[p.clock];
      (processes_of(p) > 1 ? of.several : of.single).push_back(median(halves[0]) * median(halves[1]));
    }
  }
  std::map<std::string, Noise> noise;
  for (auto& [clock, of] : by_clock) {
    std::vector<double>& products = of.single;
    if (products.size() < kSingle) products.insert(products.end(), of.several.begin(), of.several.end());
    if (products.size() < 2) continue;
    noise[clock] = {std::sqrt(variance_of(products)), static_cast<int>(products.size())};
  }
  return noise;
}

Rates rates_of(const std::vector<RacedPair>& pairs) {
  Rates rates;
  rates.noise = noise_of(pairs);
  // No pair is judged by a spread that it had a part in, nor one of the same processes: every other task is in the same half.
  std::map<std::string, size_t> number;
  std::vector<size_t> half;
  std::vector<RacedPair> halves[2];
  for (const RacedPair& p : pairs) {
    half.push_back(number.try_emplace(p.task, number.size()).first->second % 2);
    halves[half.back()].push_back(p);
  }
  DeviceProfile others[2];
  for (int i : {0, 1}) others[i].noise = noise_of(halves[1 - i]);
  const ProcessSpread spreads[] = {spread_of(&others[0]), spread_of(&others[1])};
  for (size_t i = 0; i < pairs.size(); ++i) {
    const RacedPair& p = pairs[i];
    rates.failed += !p.failed.empty();
    rates.alarms += !p.alarm.empty();
    if (!p.failed.empty()) continue;
    const Interval ratio = ratio_of(counted(p.blocks, p.least), spreads[half[i]].of(p.clock));
    const bool narrow = std::log(ratio.high / ratio.low) <= 2 * kNarrow;
    count(p.kind == PairKind::more ? (narrow ? rates.narrow : rates.wide)[p.more]
          : processes_of(p) > 1    ? rates.several
                                   : rates.one,
          ratio, p.truth);
  }
  return rates;
}

std::vector<std::string> shortcomings(const Rates& rates) {
  std::vector<std::string> lacks;
  const int pairs = rates.one.pairs + rates.several.pairs;
  if (pairs < kPairs) lacks.push_back(fmt::format("{} pairs of the same code, {} are needed", pairs, kPairs));
  const int wrong = rates.one.faster + rates.one.slower + rates.several.faster + rates.several.slower;
  if (share(wrong, pairs) > kWrong)
    lacks.push_back(fmt::format("{} of {} pairs of the same code are called different", wrong, pairs));
  const int covered = rates.one.covered + rates.several.covered;
  if (pairs > 0 && std::abs(share(covered, pairs) - kCoverage) > kCoverageOff)
    lacks.push_back(fmt::format("{} of {} intervals of the same code hold 1: not 95 +- 3 %", covered, pairs));
  if (rates.alarms > 0)
    lacks.push_back(fmt::format("{} races of honest code that a judge would hold something against", rates.alarms));
  for (const int more : {3, 5, 10}) {
    const auto of = [more](const std::map<int, Classes>& by) { return by.contains(more) ? by.at(more) : Classes(); };
    const Classes narrow = of(rates.narrow), wide = of(rates.wide);
    if (const int races = narrow.pairs + wide.pairs; races < kRaces)
      lacks.push_back(fmt::format("{} races of {} % more work, {} are needed", races, more, kRaces));
    if (more == 3) continue;
    if (narrow.pairs == 0)
      lacks.push_back(fmt::format("no race of {} % more work has an interval within +-1 %", more));
    else if (share(narrow.slower, narrow.pairs) < kSlower)
      lacks.push_back(
          fmt::format("{} of {} narrow races of {} % more work are called slower", narrow.slower, narrow.pairs, more));
  }
  return lacks;
}

}  // namespace kbx
