// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kbx {
namespace {

TEST(Median, OfAnEvenCountIsTheMeanOfTheMiddleTwo) { EXPECT_EQ(median({4, 1, 3, 2}), 2.5); }

TEST(MedianInterval, FiveValuesCannotGiveNinetyFivePercent) {
  const Interval i = median_interval({1, 2, 3, 4, 5});  // 2 * P(Bin(5, 1/2) < 1) = 1/16 > 0.05
  EXPECT_EQ(i.value, 3);
  EXPECT_TRUE(std::isinf(i.low));
  EXPECT_TRUE(std::isinf(i.high));
}

TEST(MedianInterval, SixValuesGiveTheirRange) {
  const Interval i = median_interval({6, 5, 4, 3, 2, 1});  // 2 / 2^6 = 0.031
  EXPECT_EQ(i.low, 1);
  EXPECT_EQ(i.high, 6);
}

TEST(MedianInterval, TwentyValuesUseTheSixthFromEachEnd) {
  // Tables of the sign test: for n = 20 the 95 % interval runs from the 6th to the 15th value.
  std::vector<double> values;
  for (int i = 20; i > 0; --i) values.push_back(i);
  const Interval i = median_interval(values);
  EXPECT_EQ(i.low, 6);
  EXPECT_EQ(i.high, 15);
}

TEST(MedianInterval, CoversTheTrueMedianAtLeastNinetyFourPercentOfTheTimeForSkewedNoise) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> noise(0, 1);  // median 1
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<double> values(25);
    for (double& v : values) v = noise(random);
    const Interval i = median_interval(values);
    covered += i.low <= 1 && 1 <= i.high;
  }
  EXPECT_GE(covered, kTrials * 94 / 100);
}

TEST(Speedup, IsBaselineOverCandidateAndNotTheReverse) {
  const Interval s = speedup({2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1});
  EXPECT_DOUBLE_EQ(s.value, 2);
  EXPECT_EQ(speed_class(s), "faster");
}

TEST(Speedup, PairsCancelADriftThatBothSidesShare) {
  std::vector<double> baseline, candidate;
  for (int i = 1; i <= 12; ++i) {
    baseline.push_back(3.0 * i);
    candidate.push_back(2.0 * i);
  }
  const Interval s = speedup(baseline, candidate);
  EXPECT_NEAR(s.low, 1.5, 1e-12);
  EXPECT_NEAR(s.high, 1.5, 1e-12);
}

TEST(GeometricMean, OfTwoAndEightIsFour) { EXPECT_DOUBLE_EQ(geometric_mean({{2, 2, 2}, {8, 8, 8}}).value, 4); }

TEST(GeometricMean, HalvesTheWidthOfFourEqualIntervals) {
  const double w = std::log(1.1);
  const Interval one{1, 1 / 1.1, 1.1};
  const Interval g = geometric_mean({one, one, one, one});
  EXPECT_NEAR(std::log(g.high), w / 2, 1e-12);
  EXPECT_NEAR(std::log(g.low), -w / 2, 1e-12);
}

TEST(SpeedClass, WithinNoiseNothingIsRanked) {
  EXPECT_EQ(speed_class({1.00, 0.99, 1.01}), "tie");
  EXPECT_EQ(speed_class({1.05, 0.99, 1.10}), "unclear");
  EXPECT_EQ(speed_class({0.90, 0.88, 0.92}), "slower");
  EXPECT_EQ(speed_class({1.30, 1.25, 1.40}), "faster");
}

}  // namespace
}  // namespace kbx
