// SPDX-License-Identifier: Apache-2.0
#include "measure/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kbx {
namespace {

// Candidate takes 1 s, so that the ratio is the baseline.
std::vector<Block> blocks(const std::vector<double>& ratios, int process = 0) {
  std::vector<Block> made;
  for (const double r : ratios) made.push_back({process, r, 1});
  return made;
}

// Log-ratios -width .. width, evenly.
std::vector<Block> spread_evenly(int count, double width, int process = 0) {
  std::vector<double> ratios;
  for (int i = 0; i < count; ++i) ratios.push_back(std::exp(width * (2.0 * i / (count - 1) - 1)));
  return blocks(ratios, process);
}

TEST(Counted, LeavesOutWhatTheMachineDisturbedWhileEnoughIsLeft) {
  std::vector<Block> all = blocks({1, 2, 3, 4});
  all[1].discarded = true;
  EXPECT_EQ(counted(all, 3).size(), 3u);
  EXPECT_EQ(counted(all, 3)[1].baseline, 3);
  EXPECT_EQ(counted(all, 4).size(), 4u);
}

TEST(RatioOf, IsTheBaselineOverTheCandidateAndCancelsDriftOfBoth) {
  std::vector<Block> drifting;
  for (int i = 1; i <= 12; ++i) drifting.push_back({0, 3.0 * i, 2.0 * i});
  const Interval r = ratio_of(drifting, 0);
  EXPECT_NEAR(r.value, 1.5, 1e-12);
  EXPECT_NEAR(r.low, 1.5, 1e-12);
  EXPECT_NEAR(r.high, 1.5, 1e-12);
}

TEST(RatioOf, OneProcessIsAsUncertainAsProcessesAre) {
  const Interval r = ratio_of(blocks(std::vector<double>(20, 1.1)), 0.01);
  EXPECT_NEAR(std::log(r.high / 1.1), 0.0196, 1e-12);
  EXPECT_NEAR(std::log(r.low / 1.1), -0.0196, 1e-12);
}

TEST(RatioOf, FourProcessesHalveTheirSpread) {
  std::vector<Block> all;
  for (int p = 0; p < 4; ++p)
    for (const Block& b : blocks(std::vector<double>(5, 1.0), p)) all.push_back(b);
  EXPECT_NEAR(std::log(ratio_of(all, 0.01).high), 0.0098, 1e-12);
}

TEST(RatioOf, WidthsOfBlocksAndOfProcessesAddInQuadrature) {
  // Of 20 values 6th and 15th: -+ 9/19 of the width.
  const double own = 0.019 * 9 / 19, process = 1.96 * 0.006;
  const Interval r = ratio_of(spread_evenly(20, 0.019), 0.006);
  EXPECT_NEAR(std::log(r.high), std::sqrt(own * own + process * process), 1e-12);
  EXPECT_NEAR(std::log(r.low), -std::sqrt(own * own + process * process), 1e-12);
}

TEST(RatioOf, FiveProcessesCountAsFiveValuesHoweverManyBlocksTheyHave) {
  // Medians of the logs 1..5: mean 3, s = sqrt(2.5), t(4, 0.975) = 2.776445 by the tables: 3 -+ 1.963243.
  std::vector<Block> all;
  for (int p = 1; p <= 5; ++p)
    for (const double off : {-0.2, 0.0, 0.0, 0.0, 9.0}) all.push_back({p, std::exp(p + off), 1});
  const Interval r = ratio_of(all, 0.5);
  EXPECT_NEAR(std::log(r.value), 3, 1e-9);
  EXPECT_NEAR(std::log(r.low), 3 - 1.963243, 1e-5);
  EXPECT_NEAR(std::log(r.high), 3 + 1.963243, 1e-5);
}

constexpr StoppingRule kRule;

TEST(Settled, NeverBeforeTheLeastNumberOfBlocksHoweverLate) {
  EXPECT_FALSE(settled(blocks(std::vector<double>(8, 1.0)), kRule, 1e9, 0));
  EXPECT_TRUE(settled(spread_evenly(9, 5), kRule, 1.1, 0));
  EXPECT_FALSE(settled(spread_evenly(9, 5), kRule, 0.9, 0));
  EXPECT_FALSE(settled({}, kRule, 1e9, 0));
}

TEST(Settled, AtTheMostWhateverTheyAre) {
  EXPECT_FALSE(settled(spread_evenly(199, 5), kRule, 0, 0));
  EXPECT_TRUE(settled(spread_evenly(200, 5), kRule, 0, 0));
}

TEST(Settled, BlocksOfAnEarlierProcessDoNotCountForThisOne) {
  std::vector<Block> all = blocks(std::vector<double>(20, 1.0), 0);
  EXPECT_TRUE(settled(all, kRule, 0, 0));
  all.push_back({1, 1, 1});
  EXPECT_FALSE(settled(all, kRule, 1e9, 0));
}

TEST(Settled, OneLuckyBlockDoesNotEndIt) {
  // The sign test's interval lies between the 2nd and the 10th of 11 values (+-1.2 %) and the 3rd and the 10th of 12 (+-0.8 %).
  std::vector<Block> all;
  for (const double l : {-0.02, -0.012, -0.008, -0.004, -0.002, 0.0, 0.002, 0.004, 0.008, 0.012, 0.02, 0.0})
    all.push_back({0, std::exp(l), 1});
  EXPECT_FALSE(settled(all, kRule, 0, 0));
  all.push_back({0, 1, 1});
  EXPECT_TRUE(settled(all, kRule, 0, 0));
}

TEST(Settled, ManyBlocksAreLookedAtLessOften) {
  EXPECT_TRUE(settled(blocks(std::vector<double>(32, 1.0)), kRule, 0, 0));
  EXPECT_FALSE(settled(blocks(std::vector<double>(33, 1.0)), kRule, 0, 0));
  EXPECT_TRUE(settled(blocks(std::vector<double>(36, 1.0)), kRule, 0, 0));
}

TEST(Settled, DisturbedBlocksNeitherMakeItNarrowNorWide) {
  std::vector<Block> all = blocks(std::vector<double>(12, 1.0));
  for (int i = 0; i < 4; ++i) all[static_cast<size_t>(i)].discarded = true;
  EXPECT_FALSE(settled(all, kRule, 0, 0));  // 8 are left
  all[0].discarded = false;
  EXPECT_TRUE(settled(all, kRule, 0, 0));
  for (int i = 1; i < 4; ++i) all[static_cast<size_t>(i)].baseline = 100;
  EXPECT_TRUE(settled(all, kRule, 0, 0));
}

TEST(Settled, BlocksThatCannotHelpAreNotWaitedFor) {
  // Processes that differ by 2 % cannot give +-1 %; 20 blocks at +-0.9 % are known better than their process.
  EXPECT_TRUE(settled(spread_evenly(20, 0.019), kRule, 0, 0.02));
  EXPECT_FALSE(settled(spread_evenly(20, 0.06), kRule, 0, 0.02));
  EXPECT_FALSE(settled(spread_evenly(20, 0.019), kRule, 0, 0.005));  // hypot(0.009, 0.0098) is above 1 %, and more blocks help
}

// 2000 races of a true ratio: both sides of each block log-normal, one block in twenty 20 % off on either side, and the luck of
// the process. Stopped by settled(), as the race does.
struct Simulated {
  double covered = 0, faster = 0, slower = 0;  // share of all races
};
Simulated simulate(double ratio, double noise, double process_spread, int most = 200) {
  constexpr int kRaces = 2000;
  std::mt19937_64 random(20);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const StoppingRule rule{.most = most};
  Simulated s;
  for (int race = 0; race < kRaces; ++race) {
    const double process = process_spread * normal(random);
    std::vector<Block> sampled;
    do {
      double baseline = std::log(ratio) + process + noise * normal(random), candidate = noise * normal(random);
      if (uniform(random) < 0.05) (uniform(random) < 0.5 ? baseline : candidate) += std::log(1.2);
      sampled.push_back({0, std::exp(baseline), std::exp(candidate)});
    } while (!settled(sampled, rule, 0, process_spread));
    const Interval r = ratio_of(sampled, process_spread);
    s.covered += r.low <= ratio && ratio <= r.high;
    s.faster += r.low > 1.02;
    s.slower += r.high < 1 / 1.02;
  }
  for (double* share : {&s.covered, &s.faster, &s.slower}) *share /= kRaces;
  return s;
}

TEST(SequentialSampling, NinetyFivePercentOfTheIntervalsHoldTheTruth) {
  for (const double noise : {0.003, 0.01, 0.03})
    for (const double spread : {0.0, 0.003}) {
      const Simulated s = simulate(1, noise, spread);
      EXPECT_NEAR(s.covered, 0.95, 0.03) << noise << " " << spread;
      EXPECT_LE(s.faster + s.slower, 0.01) << noise << " " << spread;
    }
}

TEST(SequentialSampling, FivePercentAreSeen) {
  EXPECT_GE(simulate(1.05, 0.003, 0.003).faster, 0.95);
  EXPECT_GE(simulate(1 / 1.05, 0.01, 0.003).slower, 0.95);
}

TEST(SequentialSampling, OfTheSameCodeAMachineThatLeavesNoTimeRanksNothing) {
  const Simulated s = simulate(1, 0.03, 0.003, 9);
  EXPECT_LE(s.faster + s.slower, 0.01);
}

TEST(RestartedProcesses, NinetyFivePercentOfTheIntervalsHoldTheTruth) {
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal;
  int covered = 0;
  constexpr int kRaces = 2000;
  for (int race = 0; race < kRaces; ++race) {
    std::vector<Block> all;
    for (int p = 0; p < 5; ++p) {
      const double process = 0.01 * normal(random);
      for (int i = 0; i < 9; ++i) all.push_back({p, std::exp(process + 0.005 * normal(random)), 1});
    }
    const Interval r = ratio_of(all, 0);
    covered += r.low <= 1 && 1 <= r.high;
  }
  EXPECT_NEAR(covered, 0.95 * kRaces, 0.03 * kRaces);
}

TEST(Audit, HiddenTimeIsWhatTheCandidateLeavesOutBeyondTheBaseline) {
  const Audit a = audit(std::vector<double>(20, 70e-6), std::vector<double>(20, 90e-6), 1e-3, 0.1e-3);
  EXPECT_NEAR(a.hidden_seconds, 20e-6, 1e-12);
  EXPECT_FALSE(a.contradicted);
  EXPECT_FALSE(a.impossible);
}

TEST(Audit, ContradictsAboveTheToleranceAndAFifthOfTheClaim) {
  const std::vector<double> baseline(20, 0);
  EXPECT_FALSE(audit(baseline, std::vector<double>(20, 0.29e-3), 1e-3, 0.1e-3).contradicted);
  EXPECT_TRUE(audit(baseline, std::vector<double>(20, 0.31e-3), 1e-3, 0.1e-3).contradicted);
}

TEST(Audit, NineteenBlocksAreTooFewToAccuseAndTwentyAreEnough) {
  // 2^-19 = 1.9e-6, 2^-20 = 0.95e-6.
  EXPECT_TRUE(audit(std::vector<double>(19, 0), std::vector<double>(19, 1), 1e-3, 0.1e-3).contradicted);
  EXPECT_FALSE(audit(std::vector<double>(19, 0), std::vector<double>(19, 1), 1e-3, 0.1e-3).impossible);
  EXPECT_TRUE(audit(std::vector<double>(20, 0), std::vector<double>(20, 1), 1e-3, 0.1e-3).impossible);
}

TEST(Audit, OfFortyBlocksFiveMayBeInnocent) {
  // P(Bin(40, 1/2) >= 35) = 6.9e-7, >= 34: 4.2e-6.
  std::vector<double> candidate(40, 1);
  std::fill_n(candidate.begin(), 5, 0);
  EXPECT_TRUE(audit(std::vector<double>(40, 0), candidate, 1e-3, 0.1e-3).impossible);
  candidate[5] = 0;
  const Audit a = audit(std::vector<double>(40, 0), candidate, 1e-3, 0.1e-3);
  EXPECT_TRUE(a.contradicted);
  EXPECT_FALSE(a.impossible);
}

TEST(Audit, AFewBlocksOnABusyMachineAccuseNobody) {
  std::vector<double> candidate(40, 50e-6);
  std::fill_n(candidate.begin(), 12, 1);
  const Audit a = audit(std::vector<double>(40, 50e-6), candidate, 1e-3, 0.1e-3);
  EXPECT_FALSE(a.contradicted);
  EXPECT_FALSE(audit({0, 0, 0}, {1, 1, 1}, 1e-3, 0.1e-3).contradicted);  // too few for any interval
}

TEST(OrderOfSides, IsDrawnAnewAndEachSideGoesFirstAsOften) {
  Order order(5);
  std::vector<int> first(3);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<int> sides = order.next(3);
    EXPECT_EQ(std::set<int>(sides.begin(), sides.end()), (std::set<int>{0, 1, 2}));
    ++first[static_cast<size_t>(sides[0])];
  }
  for (const int count : first) EXPECT_NEAR(count, 1000, 130);  // 5 standard deviations of Bin(3000, 1/3)
}

}  // namespace
}  // namespace kbx
