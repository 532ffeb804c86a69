// SPDX-License-Identifier: Apache-2.0
// Contract `stochastic:binomial`: element i is f_i s_i, s_i of n_i independent trials with success probability p_i, independent
// of all others. n is the call's `total_count`, p its `probs` or the sigmoid of its `logits`, f what the task's `chance.before`
// gives.
//   each element is f_i times a whole number from 0 to n_i, exactly; p_i = 0 and p_i = 1 leave nothing to chance
//   the same seed gives the same numbers
//   F_i(s_i - 1) + v_i P(s_i), F_i the distribution function and v_i a uniform number of the judge's own, is uniform on [0, 1)
//   and independent if and only if the s_i are what they have to be (randomised probability integral transform: Rosenblatt 1952;
//   Smith 1985). The tests of uniform_tests.h, between seeds too, are made of these numbers
//   the sums of s over parts of the result, over each index of each dimension and over both seeds: Chernoff's bound of the tails,
//   exact for unequal n and p. So is that for the number of places where two seeds have the same s
// Every p-value is an upper bound; they are combined by Bonferroni. Where f_i = 0 nothing can be seen, and the judge puts a
// uniform number of its own there.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "oracle/judgement.h"
#include "oracle/kinds/binomial.h"

namespace kbx {

// `deliveries` answer the seeds {a, b, a}.
Judgement judge_binomial(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries);

// What the elements are to be: float64 in the CPU's memory, one shape.
struct BinomialLaw {
  at::Tensor trials, probability, factor;
};

// The tests of two results' counts: float64, of the law's shape, within its support. `seed` for the judge's own numbers.
std::vector<TestResult> test_counts(const BinomialLaw& law, const at::Tensor& a, const at::Tensor& b, uint64_t seed);

// Two-sided bound for the sum of independent counts: `successes` of trials[i] with probability[i] each, at most 1.
double chernoff_p(const std::vector<double>& trials, const std::vector<double>& probability, double successes);

// P(S < count) and P(S = count) of n trials.
struct BinomialStep {
  double below, at;
};
BinomialStep binomial_step(int64_t n, double probability, int64_t count);

}  // namespace kbx
