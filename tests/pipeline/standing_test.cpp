// SPDX-License-Identifier: Apache-2.0
// From the blocks of a race to its result, on times that are made up.
#include "pipeline/standing.h"

#include <gtest/gtest.h>

#include "catalogue/task.h"

namespace kbx {
namespace {

using wire::Timing;

constexpr double kMicro = 1e-6;

class StandingTest : public testing::Test {
 protected:
  static Heat heat() {
    const Task& task = *find_task("relu");
    return Heat::prepare(task, parse_case(task, "standard: input=randn[64,64]").value(), 1, at::kCPU).value();
  }

  // `n` blocks of one way of timing; microseconds.
  void add(Timing how, double baseline, double candidate, int n = 20, double hidden = 0) {
    for (int i = 0; i < n; ++i) {
      const double wobble = 1 + 1e-4 * (i % 3);
      blocks_.push_back({how, 0, {baseline * kMicro * wobble, candidate * kMicro * wobble}, {0, hidden * kMicro}, ""});
    }
  }

  Measure measure(bool gpu) const {
    Measure m;
    m.gpu = gpu;
    return m;
  }
  CaseStanding standing(bool gpu) { return standing_of({&heat_, blocks_}, measure(gpu)); }

  const Heat heat_ = heat();
  std::vector<BlockRecord> blocks_;
};

TEST_F(StandingTest, GpuTimeDecidesWhereQueuedCallsKeepItsPace) {
  add(Timing::traced, 200, 100);
  add(Timing::each, 230, 140);
  add(Timing::queued, 205, 104);
  const CaseStanding s = standing(true);
  EXPECT_NEAR(s.result.speedup.value, 2, 1e-3);
  EXPECT_NEAR(s.result.call_speedup->value, 230.0 / 140, 1e-3);
  EXPECT_NEAR(s.result.candidate_seconds, 100 * kMicro, 1e-8);
  EXPECT_EQ(s.result.class_, "faster");
  EXPECT_EQ(s.result.note, "");
}

// A runner may claim any GPU time; what the judge sees of queued calls it cannot shorten.
TEST_F(StandingTest, AClaimThatTheJudgesPaceDoesNotBearOutDoesNotCount) {
  add(Timing::traced, 200, 10);
  add(Timing::each, 230, 240);
  add(Timing::queued, 205, 210);
  const CaseStanding s = standing(true);
  EXPECT_NEAR(s.result.speedup.value, 205.0 / 210, 1e-3);
  EXPECT_EQ(s.result.class_, "slower");
  EXPECT_NE(s.result.note.find("host-bound"), std::string::npos) << s.result.note;
}

TEST_F(StandingTest, OneSideThatIsHostBoundMovesBothToTheSameClock) {
  add(Timing::traced, 10, 50);
  add(Timing::queued, 100, 52);
  EXPECT_EQ(deciding_clock(blocks_, true), Timing::queued);
  EXPECT_NEAR(standing(true).result.speedup.value, 100.0 / 52, 1e-3);
}

TEST_F(StandingTest, LaunchGapsOfShortCallsAreNoContradiction) {
  add(Timing::traced, 10, 12);
  add(Timing::queued, 28, 31);
  EXPECT_EQ(deciding_clock(blocks_, true), Timing::traced);
}

TEST_F(StandingTest, WithoutCuptiThePaceDecides) {
  add(Timing::queued, 100, 50);
  EXPECT_EQ(deciding_clock(blocks_, true), Timing::queued);
  EXPECT_NE(standing(true).result.note.find("CUPTI"), std::string::npos);
}

TEST_F(StandingTest, OnTheCpuTheJudgesClockIsTheTime) {
  add(Timing::each, 3000, 2000);
  EXPECT_NEAR(standing(false).result.speedup.value, 1.5, 1e-3);
}

TEST_F(StandingTest, TimeSpentOutsideOfTheClaimWithholdsTheSpeedup) {
  add(Timing::each, 3000, 6000, 15, 5000);
  const Efficiency e = efficiency_of({standing(false)}, measure(false));
  EXPECT_FALSE(e.speedup);
  EXPECT_NE(e.withheld.find("contradicts"), std::string::npos) << e.withheld;
  EXPECT_EQ(dishonest_evidence({standing(false)}), "") << "15 blocks happen to be alike once in 32768";
}

TEST_F(StandingTest, WhatNoiseCannotDoIsDishonest) {
  add(Timing::each, 3000, 6000, 40, 5000);
  EXPECT_NE(dishonest_evidence({standing(false)}), "");
}

TEST_F(StandingTest, AMessageThatTakesALittleLongerIsNoLie) {
  add(Timing::each, 3000, 3000, 40, 60);
  EXPECT_TRUE(efficiency_of({standing(false)}, measure(false)).speedup);
  EXPECT_EQ(dishonest_evidence({standing(false)}), "");
}

// 64 x 64 floats read and written: 32 KiB. At 1 TB/s no kernel takes less than 33 ns.
TEST_F(StandingTest, ATimeBelowWhatTheDeviceCanDoIsQuarantined) {
  DeviceProfile profile;
  profile.bandwidth = {{1 << 10, 1e12, 1e12, 1e12, 1e12}, {1 << 20, 1e12, 1e12, 1e12, 1e12}};
  profile.matrix = {{"fp32", 1e13}};
  profile.vector = 1e13;
  profile.launch_seconds = 1e-9;
  Measure m = measure(true);
  m.profile = &profile;
  add(Timing::traced, 1, 0.005);
  const Efficiency quick = efficiency_of({standing_of({&heat_, blocks_}, m)}, m);
  EXPECT_FALSE(quick.speedup);
  EXPECT_NE(quick.quarantined, "");
  blocks_.clear();
  add(Timing::traced, 1, 0.05);
  const Efficiency possible = efficiency_of({standing_of({&heat_, blocks_}, m)}, m);
  EXPECT_TRUE(possible.speedup);
  EXPECT_EQ(possible.quarantined, "");
}

TEST_F(StandingTest, WorstCaseAndRatioOfSumsAreThoseOfAllCases) {
  add(Timing::each, 4000, 1000);
  const CaseStanding good = standing(false);
  blocks_.clear();
  add(Timing::each, 3000, 6000);
  const CaseStanding bad = standing(false);
  const Efficiency e = efficiency_of({good, bad}, measure(false));
  EXPECT_NEAR(e.worst, 0.5, 1e-3);
  EXPECT_NEAR(e.ratio_of_sums, 7.0 / 7, 1e-3);
  EXPECT_NEAR(e.speedup->value, std::sqrt(4 * 0.5), 1e-3);
}

// Sides share a core: a thread of the candidate's that spins while the baseline is called makes that slower.
TEST_F(StandingTest, WhoComputesInOthersTurnsHasNoSpeed) {
  for (const double share : {0.1, 0.3}) {
    blocks_.clear();
    add(Timing::each, 3000, 1000);
    for (BlockRecord& b : blocks_) b.others_seconds = 0.01, b.meanwhile_seconds = 0.01 * share;
    const CaseStanding s = standing(false);
    EXPECT_EQ(s.withheld.empty(), share < 0.2) << s.withheld;
    EXPECT_EQ(efficiency_of({s}, measure(false)).speedup.has_value(), share < 0.2);
  }
}

// 30 calls of 40 us in the first message leave the sample nothing to do.
TEST_F(StandingTest, WhoWorksBeforeTheSampleHasNoSpeed) {
  add(Timing::traced, 40, 2);
  add(Timing::queued, 40, 2);
  const auto before = [this](double baseline, double candidate) {
    for (BlockRecord& b : blocks_)
      if (b.how == Timing::queued) b.before = {baseline * kMicro, candidate * kMicro}, b.sample_calls = 30;
    return standing(true).withheld;
  };
  EXPECT_EQ(before(1000, 1250), "");
  EXPECT_NE(before(1000, 2200), "");
  EXPECT_EQ(before(2200, 1000), "") << "the baseline's handing over is not the candidate's doing";
}

TEST_F(StandingTest, DisturbedBlocksAreCountedAndLeftOut) {
  add(Timing::each, 3000, 3000);
  for (int i = 0; i < 5; ++i) blocks_.push_back({Timing::each, 0, {3e-3, 30e-3}, {0, 0}, "a core was taken away"});
  const PerfResult r = standing(false).result;
  EXPECT_EQ(r.discarded, 5);
  EXPECT_EQ(r.samples, 20);
  EXPECT_NEAR(r.speedup.value, 1, 1e-3);
}

}  // namespace
}  // namespace kbx
