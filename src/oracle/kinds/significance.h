// SPDX-License-Identifier: Apache-2.0
// How every judgement by statistical tests ends.
#pragma once

#include <string>
#include <vector>

#include "oracle/judgement.h"
#include "oracle/kinds/binomial.h"

namespace kbx {

// Rejects `passed` where the least likely of `results` is less likely than `false_alarm` over their number (Bonferroni);
// then `claim` is what the finding says in front of it. The ratio is log p / log threshold, or passed's own where that is
// larger. REQUIRES: at least one result, each p-value an upper bound under honest numbers.
Judgement judge_by_tests(Judgement passed, const Truth& truth, const std::string& contract, const std::string& claim,
                         const std::vector<TestResult>& results, double false_alarm);

}  // namespace kbx
