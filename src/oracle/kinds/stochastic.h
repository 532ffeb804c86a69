// SPDX-License-Identifier: Apache-2.0
// Contract `stochastic`, and its kind `uniform`: an honest generator, whatever its stream, passes; what is not uniform, not
// independent or does not follow the seed fails. Every test yields a p-value that holds for an exactly uniform source on the
// output type's grid; they are combined by Bonferroni.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Probability that one judgement (one case, three calls) rejects an honest generator. A candidate sees at most ten
// stochastic cases, so that the whole stays below 1e-6.
constexpr double kStochasticFalseAlarm = 1e-7;
// The same for masks, pooling intervals and counts, of which the derived outlier cases make more: up to fifty judgements.
constexpr double kMaskFalseAlarm = 2e-8;

// The call's results are a draw. False where the task is stochastic and this call is not: dropout that drops nothing or
// everything.
bool is_random(const Call& call);

// A call that is the same, of a task that is not stochastic but numeric.
class SettledCall {
 public:
  explicit SettledCall(const Call& call);
  SettledCall(const SettledCall&) = delete;
  SettledCall& operator=(const SettledCall&) = delete;

  const Call& call() const { return call_; }

 private:
  Task task_;
  Call call_;
};

// `deliveries` answer the seeds {a, b, a}. Uniform: support [0, 1) with 1.0 excluded; the others: dropout.h,
// fractional_pooling.h, binomial_counts.h. REQUIRES: is_random(call).
Judgement judge_stochastic(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries,
                           const Stochastic& contract);

}  // namespace kbx
