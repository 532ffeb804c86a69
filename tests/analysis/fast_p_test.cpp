// SPDX-License-Identifier: Apache-2.0
#include "analysis/fast_p.h"

#include <gtest/gtest.h>

#include "core/verdicts.h"

namespace kbx {
namespace {

using testing::timed_correct;
using testing::verdict_with;

Verdict timed(Interval speedup) {
  Correct c = timed_correct();
  c.efficiency->speedup = speedup;
  return verdict_with(c);
}

Verdict fast(double speedup) { return timed({speedup, speedup * 0.99, speedup * 1.01}); }

double share_above(const SpeedSummary& s, double p) {
  for (const FastP& f : s.fast)
    if (f.p == p) return f.share.value;
  ADD_FAILURE() << "no fast_p at " << p;
  return -1;
}

// Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81/263, 15/148, 0/20 and 1/29.
TEST(Wilson, HasThePublishedBounds) {
  const struct {
    int k, n;
    double low, high;
  } published[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0000, 0.1611}, {1, 29, 0.0061, 0.1718}};
  for (const auto& row : published) {
    const Interval i = wilson(row.k, row.n);
    EXPECT_NEAR(i.low, row.low, 5e-5) << row.k << "/" << row.n;
    EXPECT_NEAR(i.high, row.high, 5e-5) << row.k << "/" << row.n;
  }
}

// 0 of n: the upper bound is z^2 / (n + z^2) exactly; n of n mirrors it.
TEST(Wilson, TheEndsAreExact) {
  const double z2 = 3.841458820694124;  // chi-square, one degree of freedom, 0.95
  EXPECT_NEAR(wilson(0, 10).high, z2 / (10 + z2), 1e-9);
  EXPECT_NEAR(wilson(0, 10).high, 0.2775, 5e-5);
  EXPECT_EQ(wilson(0, 10).low, 0);
  EXPECT_EQ(wilson(10, 10).high, 1);
  EXPECT_NEAR(wilson(10, 10).low, 10 / (10 + z2), 1e-9);
}

TEST(Wilson, OfNothingNothingIsKnown) {
  const Interval i = wilson(0, 0);
  EXPECT_EQ(i.value, 0);
  EXPECT_EQ(i.low, 0);
  EXPECT_EQ(i.high, 1);
}

TEST(FastP, IncorrectOnesAreInTheDenominatorAndTheNotJudgedAreNot) {
  const SpeedSummary s = speed_summary({fast(3), verdict_with(testing::wrong()), verdict_with(Crashed{"SIGSEGV", ""}),
                                        verdict_with(BuildFailed{"r"}), verdict_with(NotJudged{"no such device"})});
  EXPECT_EQ(s.judged, 4);
  EXPECT_EQ(s.timed, 1);
  EXPECT_EQ(share_above(s, 1), 0.25);
}

TEST(FastP, TimesThatAreNotBelievedAreCorrectButNotFast) {
  Correct withheld = timed_correct(), untimed = timed_correct();
  withheld.efficiency->withheld = "the clocks disagree";
  untimed.efficiency.reset();
  const SpeedSummary s =
      speed_summary({fast(3), verdict_with(testing::quarantined_correct()), verdict_with(withheld), verdict_with(untimed)});
  EXPECT_EQ(s.judged, 4);
  EXPECT_EQ(s.timed, 1);
  EXPECT_EQ(share_above(s, 0.5), 0.25);
}

TEST(FastP, CountsWhatLiesAboveEachThreshold) {
  const SpeedSummary s = speed_summary({fast(0.5), fast(0.6), fast(1), fast(1.2), fast(2), fast(2.5), fast(4), fast(20)});
  const std::pair<double, int> expected[] = {{0.5, 7}, {0.8, 6}, {1, 5}, {1.5, 4}, {2, 3}, {3, 2}, {5, 1}, {10, 1}};
  ASSERT_EQ(s.fast.size(), std::size(expected));
  for (size_t i = 0; i < s.fast.size(); ++i) {
    EXPECT_EQ(s.fast[i].p, expected[i].first);
    EXPECT_EQ(s.fast[i].share.value, expected[i].second / 8.0) << s.fast[i].p;  // equal to p is not faster than p
  }
}

TEST(FastP, SlowerNeedsTheWholeIntervalAndIsAShareOfTheTimed) {
  const SpeedSummary s = speed_summary({timed({0.5, 0.4, 0.6}),            // slower
                                        timed({0.95, 0.9, 0.99}),          // reaches into the tie
                                        timed({0.9, 0.7, 1.1}),            // unclear
                                        timed({1.0, 0.99, 1.01}),          // a tie
                                        verdict_with(testing::wrong())});  // not timed
  EXPECT_EQ(s.slower.value, 0.25);
  EXPECT_EQ(s.slower.high, wilson(1, 4).high);
  EXPECT_EQ(s.unclear, 1);
}

}  // namespace
}  // namespace kbx
