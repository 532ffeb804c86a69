// SPDX-License-Identifier: Apache-2.0
// Exact p-values of counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kbx {

struct TestResult {
  std::string what;  // what was counted, with the numbers
  double p = 1;
};

// The smaller tail twice, at most 1.
double two_sided(double lower, double upper);

// Two-sided p-value of `count` successes in n independent trials; 1 for n = 0.
double binomial_p(int64_t n, double probability, int64_t count);

// The largest p-value among counts in [least, most]: the count is known only to lie there.
double binomial_p(int64_t n, double probability, int64_t least, int64_t most);

// The probability of a count of n trials in [least, most]; 1 for n = 0.
double binomial_within(int64_t n, double probability, int64_t least, int64_t most);

// Two-sided p-value of `count` successes in independent trials, each with its own probability.
double poisson_binomial_p(const std::vector<double>& probabilities, int64_t count);

// REQUIRES: not empty.
const TestResult& least_likely(const std::vector<TestResult>& results);

}  // namespace kbx
