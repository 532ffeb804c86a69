// SPDX-License-Identifier: Apache-2.0
// What a set of paired timings says: a ratio with an interval that needs no assumption about the noise.
#pragma once

#include <string>
#include <vector>

#include "core/verdict.h"

namespace kbx {

// Median of `values`; the mean of the two middle ones for an even count. REQUIRES: not empty.
double median(std::vector<double> values);

// Median with a 95 % interval between two order statistics: the median of any continuous distribution lies between the
// k-th smallest and the k-th largest of n values with probability 1 - 2·P(Bin(n, 1/2) < k) (the sign test's interval;
// Conover, Practical Nonparametric Statistics, 3.2). Fewer than 6 values cannot give 95 %: the interval is the range,
// widened to infinity. REQUIRES: not empty.
Interval median_interval(std::vector<double> values);

// Ratio baseline / candidate from paired seconds: exp of the median_interval of the log-ratios.
// REQUIRES: equal sizes, not empty, all positive.
Interval speedup(const std::vector<double>& baseline, const std::vector<double>& candidate);

// Geometric mean of independent ratios; the half-widths of their log-intervals add in quadrature. REQUIRES: not empty.
Interval geometric_mean(const std::vector<Interval>& ratios);

// "faster" (interval above 1.02), "slower" (below 1/1.02), "tie" (inside), else "unclear".
std::string speed_class(const Interval& ratio);

}  // namespace kbx
