// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/binomial.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/check.h"

namespace kbx {

double two_sided(double lower, double upper) { return std::min(1.0, 2 * std::min(lower, upper)); }

double binomial_p(int64_t n, double probability, int64_t count) {
  if (n == 0) return 1;
  const boost::math::binomial_distribution<double> law(static_cast<double>(n), probability);
  const double lower = cdf(law, static_cast<double>(count));
  const double upper = count == 0 ? 1 : cdf(complement(law, static_cast<double>(count - 1)));
  return two_sided(lower, upper);
}

double binomial_p(int64_t n, double probability, int64_t least, int64_t most) {
  // Both tails shrink away from the mean.
  const double mean = static_cast<double>(n) * probability;
  const int64_t below = std::clamp(static_cast<int64_t>(std::floor(mean)), least, most);
  const int64_t above = std::clamp(static_cast<int64_t>(std::ceil(mean)), least, most);
  return std::max(binomial_p(n, probability, below), binomial_p(n, probability, above));
}

double binomial_within(int64_t n, double probability, int64_t least, int64_t most) {
  if (n == 0) return 1;
  const boost::math::binomial_distribution<double> law(static_cast<double>(n), probability);
  double sum = 0;
  for (int64_t k = std::max<int64_t>(0, least); k <= std::min(n, most); ++k) sum += pdf(law, static_cast<double>(k));
  return std::min(sum, 1.0);
}

double poisson_binomial_p(const std::vector<double>& probabilities, int64_t count) {
  std::vector<double> law{1};  // of the number of successes so far
  for (const double q : probabilities) {
    law.push_back(0);
    for (size_t k = law.size(); k-- > 0;) law[k] = law[k] * (1 - q) + (k > 0 ? law[k - 1] * q : 0);
  }
  double lower = 0, upper = 0;
  for (size_t k = 0; k < law.size(); ++k) {
    if (static_cast<int64_t>(k) <= count) lower += law[k];
    if (static_cast<int64_t>(k) >= count) upper += law[k];
  }
  return two_sided(lower, upper);
}

const TestResult& least_likely(const std::vector<TestResult>& results) {
  KBX_CHECK(!results.empty());
  return *std::min_element(results.begin(), results.end(), [](const auto& x, const auto& y) { return x.p < y.p; });
}

}  // namespace kbx
