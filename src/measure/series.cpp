// SPDX-License-Identifier: Apache-2.0
#include "measure/series.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "core/check.h"
#include "measure/statistics.h"

namespace kbx {
namespace {

constexpr double kTail = 0.025;  // on either side of a 95 % interval
constexpr double kNormal = 1.96;
constexpr size_t kProcessesForStudent = 5;
constexpr double kFalseAlarm = 1e-6;
constexpr double kShareOfCall = 0.2;
constexpr size_t kLooksPerDoubling = 8;

double log_ratio(const Block& b) {
  KBX_CHECK(b.baseline > 0 && b.candidate > 0);
  return std::log(b.baseline / b.candidate);
}

std::vector<double> log_ratios(const std::vector<Block>& blocks) {
  std::vector<double> logs(blocks.size());
  std::transform(blocks.begin(), blocks.end(), logs.begin(), log_ratio);
  return logs;
}

Interval exponential(const Interval& log) { return {std::exp(log.value), std::exp(log.low), std::exp(log.high)}; }

Interval widened(const Interval& i, double by) {
  return {i.value, i.value - std::hypot(i.value - i.low, by), i.value + std::hypot(i.high - i.value, by)};
}

// Of the mean of independent values from one normal distribution.
Interval student(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const boost::math::students_t_distribution<> t(n - 1);
  const double half = quantile(complement(t, kTail)) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

// Whether further blocks of the same process would not make the interval of the case narrower than asked for, or not at all.
bool known(std::vector<double> logs, double half_width, double process_spread) {
  const Interval own = median_interval(std::move(logs));
  const double half = (own.high - own.low) / 2, process = kNormal * process_spread;
  return std::hypot(half, process) < half_width || half < process / 2;
}

}  // namespace

std::vector<Block> counted(const std::vector<Block>& blocks, int least) {
  std::vector<Block> kept;
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(kept), [](const Block& b) { return !b.discarded; });
  return kept.size() < static_cast<size_t>(least) ? blocks : kept;
}

Interval ratio_of(const std::vector<Block>& blocks, double process_spread) {
  KBX_CHECK(!blocks.empty());
  std::map<int, std::vector<double>> processes;
  for (const Block& b : blocks) processes[b.process].push_back(log_ratio(b));
  if (processes.size() < kProcessesForStudent) {
    const double shared = kNormal * process_spread / std::sqrt(static_cast<double>(processes.size()));
    return exponential(widened(median_interval(log_ratios(blocks)), shared));
  }
  std::vector<double> medians;
  for (auto& [process, logs] : processes) medians.push_back(median(std::move(logs)));
  return exponential(student(medians));
}

bool settled(const std::vector<Block>& blocks, const StoppingRule& rule, double seconds_spent, double process_spread) {
  if (blocks.empty()) return false;
  std::vector<Block> own;
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(own),
               [&](const Block& b) { return b.process == blocks.back().process; });
  const size_t least = static_cast<size_t>(rule.least);
  if (own.size() < least) return false;
  if (own.size() >= static_cast<size_t>(rule.most) || seconds_spent > rule.seconds) return true;
  std::erase_if(own, [](const Block& b) { return b.discarded; });
  const size_t n = own.size();
  if (n < least || blocks.back().discarded || n % std::max<size_t>(1, n / kLooksPerDoubling) != 0) return false;
  std::vector<double> logs = log_ratios(own);
  if (!known(logs, rule.half_width, process_spread)) return false;
  logs.pop_back();
  return known(std::move(logs), rule.half_width, process_spread);
}

Audit audit(const std::vector<double>& baseline_unclaimed, const std::vector<double>& candidate_unclaimed, double call_seconds,
            double tolerance_seconds) {
  KBX_CHECK_EQ(baseline_unclaimed.size(), candidate_unclaimed.size());
  const double bound = tolerance_seconds + kShareOfCall * call_seconds;
  std::vector<double> hidden(baseline_unclaimed.size());
  std::transform(candidate_unclaimed.begin(), candidate_unclaimed.end(), baseline_unclaimed.begin(), hidden.begin(),
                 std::minus<>());
  const auto above = std::count_if(hidden.begin(), hidden.end(), [&](double h) { return h > bound; });
  // Probability of so many heads: of a block that hides no more than the bound in the median, each is above it at most every
  // second time.
  const boost::math::binomial_distribution<> flips(static_cast<double>(hidden.size()), 0.5);
  const double chance = above == 0 ? 1 : cdf(complement(flips, static_cast<double>(above - 1)));
  Audit a;
  a.hidden_seconds = median_interval(std::move(hidden)).low;
  a.contradicted = a.hidden_seconds > bound;
  a.impossible = a.contradicted && chance <= kFalseAlarm;
  return a;
}

std::vector<int> Order::next(int sides) {
  std::vector<int> order(static_cast<size_t>(sides));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  return order;
}

}  // namespace kbx
