// SPDX-License-Identifier: Apache-2.0
// Statistical tests of numbers that ought to be independent and uniform on [0, 1). Each p-value is an upper bound of the
// probability that such numbers look at least as bad.
//
// Numbers live on some grid k / 2^g; generators differ in g and in what they round, so that only dyadic intervals are
// counted, whose probabilities hold on every honest grid. Exact: counts below a cut and in a bin are binomial; the
// exclusive ors of the leading bits of x[i] and x[i + lag] are independent fair bits. Nearly exact: the number of
// equal pairs is Poisson (birthday problem; Arratia, Goldstein & Gordon 1989), here on a grid four times coarser than
// the coarsest honest one, which leaves a factor of two in the mean. Approximate: Pearson's chi-square over the bins,
// in both tails since evenly spread numbers are not random; its p-values are multiplied by ten for it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "oracle/kinds/binomial.h"

namespace kbx {

// REQUIRES below: `x` is 1-D float64 with values in [0, 1); `digits` are the significant bits of the type it came from.

// Cuts, bins and chi-square.
void test_distribution(const at::Tensor& x, int digits, std::vector<TestResult>& results);
// Leading bits at distance `lag` for each lag below the length.
void test_independence(const at::Tensor& x, const std::vector<int64_t>& lags, std::vector<TestResult>& results);
// Equal values, and values of a coarser floating-point type than `digits` says.
void test_resolution(const at::Tensor& x, int digits, std::vector<TestResult>& results);
// Two sequences of different seeds: equal places, common values, leading bits.
void test_two_seeds(const at::Tensor& a, const at::Tensor& b, int digits, std::vector<TestResult>& results);

}  // namespace kbx
