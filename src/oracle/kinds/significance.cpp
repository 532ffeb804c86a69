// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/kinds/form.h"

namespace kbx {

Judgement judge_by_tests(Judgement passed, const Truth& truth, const std::string& contract, const std::string& claim,
                         const std::vector<TestResult>& results, double false_alarm) {
  const double threshold = false_alarm / static_cast<double>(results.size());
  const TestResult& worst = least_likely(results);
  const double ratio = std::log(std::max(worst.p, std::numeric_limits<double>::min())) / std::log(threshold);
  if (worst.p >= threshold) {
    passed.ratio = std::max(passed.ratio, ratio);
    return passed;
  }
  Finding finding = finding_about(truth, contract);
  finding.error = worst.p;
  finding.budget = threshold;
  finding.detail = fmt::format("{}: {} (probability {:.2g}, allowed {:.2g})", claim, worst.what, worst.p, threshold);
  Judgement judgement = rejected(std::move(finding));
  judgement.ratio = std::max(ratio, std::nextafter(1.0, 2.0));
  return judgement;
}

}  // namespace kbx
