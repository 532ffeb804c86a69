// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace kbx {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kTie = 1.02;

// Largest k >= 1 with P(Bin(n, 1/2) < k) <= (1 - confidence) / 2; 0 if there is none.
size_t order_statistic(size_t n) {
  const boost::math::binomial_distribution<> flips(static_cast<double>(n), 0.5);
  const double tail = (1 - kConfidence) / 2;
  return cdf(flips, 0) > tail ? 0 : static_cast<size_t>(quantile(flips, tail)) + 1;  // boost rounds a lower quantile down
}

}  // namespace

double median(std::vector<double> values) {
  KBX_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

Interval median_interval(std::vector<double> values) {
  const double middle = median(values);
  const size_t k = order_statistic(values.size());
  if (k == 0) return {middle, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::sort(values.begin(), values.end());
  return {middle, values[k - 1], values[values.size() - k]};
}

Interval speedup(const std::vector<double>& baseline, const std::vector<double>& candidate) {
  KBX_CHECK_EQ(baseline.size(), candidate.size());
  std::vector<double> logs;
  for (size_t i = 0; i < baseline.size(); ++i) logs.push_back(std::log(baseline[i] / candidate[i]));
  const Interval log_ratio = median_interval(std::move(logs));
  return {std::exp(log_ratio.value), std::exp(log_ratio.low), std::exp(log_ratio.high)};
}

Interval geometric_mean(const std::vector<Interval>& ratios) {
  KBX_CHECK(!ratios.empty());
  double log_sum = 0, below = 0, above = 0;
  for (const Interval& r : ratios) {
    log_sum += std::log(r.value);
    below += std::pow(std::log(r.value / r.low), 2);
    above += std::pow(std::log(r.high / r.value), 2);
  }
  const double n = static_cast<double>(ratios.size());
  return {std::exp(log_sum / n), std::exp((log_sum - std::sqrt(below)) / n), std::exp((log_sum + std::sqrt(above)) / n)};
}

std::string speed_class(const Interval& ratio) {
  if (ratio.low > kTie) return "faster";
  if (ratio.high < 1 / kTie) return "slower";
  if (ratio.low >= 1 / kTie && ratio.high <= kTie) return "tie";
  return "unclear";
}

}  // namespace kbx
