// SPDX-License-Identifier: Apache-2.0
#include "analysis/fast_p.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace kbx {
namespace {

constexpr double kThresholds[] = {0.5, 0.8, 1, 1.5, 2, 3, 5, 10};
constexpr double kTie = 1.02;            // as in speed_class()
constexpr double kZ = 1.95996398454005;  // the normal distribution's quantile at 0.975

bool is_unclear(const Interval& s) { return s.low <= 1 && s.high >= 1 && (s.low < 1 / kTie || s.high > kTie); }

}  // namespace

Interval wilson(int k, int n) {
  KBX_CHECK_LE(0, k);
  KBX_CHECK_LE(k, n);
  if (n == 0) return {0, 0, 1};
  const double share = static_cast<double>(k) / n, z2 = kZ * kZ;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ * std::sqrt(share * (1 - share) / n + z2 / (4.0 * n * n)) / (1 + z2 / n);
  // At the ends rounding would leave the bound beside the share itself.
  return {share, k == 0 ? 0 : centre - half, k == n ? 1 : centre + half};
}

SpeedSummary speed_summary(const std::vector<Verdict>& verdicts) {
  SpeedSummary summary;
  std::vector<Interval> speedups;
  for (const Verdict& v : verdicts) {
    if (std::holds_alternative<NotJudged>(v.outcome)) continue;
    ++summary.judged;
    if (const Interval* s = speedup_of(v.outcome)) speedups.push_back(*s);
  }
  const auto count = [&](auto holds) { return static_cast<int>(std::ranges::count_if(speedups, holds)); };
  summary.timed = static_cast<int>(speedups.size());
  summary.unclear = count(is_unclear);
  for (double p : kThresholds)
    summary.fast.push_back({p, wilson(count([p](const Interval& s) { return s.value > p; }), summary.judged)});
  summary.slower = wilson(count([](const Interval& s) { return s.high < 1 / kTie; }), summary.timed);
  return summary;
}

}  // namespace kbx
