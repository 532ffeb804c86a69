// SPDX-License-Identifier: Apache-2.0
// Contract `stochastic`: an honest generator, whatever its stream, passes; what is not uniform, not independent or does
// not follow the seed fails. Every test yields a p-value that holds for an exactly uniform source on the output type's
// grid; they are combined by Bonferroni.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Probability that one judgement (one case, three calls) rejects an honest generator. A candidate sees at most ten
// stochastic cases, so that the whole stays below 1e-6.
constexpr double kStochasticFalseAlarm = 1e-7;

// `deliveries` answer the seeds {a, b, a}. Uniform: support [0, 1) with 1.0 excluded.
Judgement judge_stochastic(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries,
                           const Stochastic& contract);

}  // namespace kbx
