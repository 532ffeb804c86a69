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

const TestResult& least_likely(const std::vector<TestResult>& results) {
  KBX_CHECK(!results.empty());
  return *std::min_element(results.begin(), results.end(), [](const auto& x, const auto& y) { return x.p < y.p; });
}

}  // namespace kbx
