// SPDX-License-Identifier: Apache-2.0
#include "validation/rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "recordings.h"

namespace kbx {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> shortcomings_of(Instrument instrument) {
  return shortcomings(rates_of(Recorder(instrument).record(60, 400, 60).pairs));
}

// Noise of blocks taken for luck of processes, or the other way round: 1000 processes know a standard deviation to 2.2 %, and
// their blocks add about as much again.
TEST(ProcessSpread, IsWhatTheBlocksOfAProcessShare) {
  const auto noise = noise_of(Recorder({.blocks = 0.01, .processes = 0.005}).record(200, 0, 10).pairs);
  ASSERT_TRUE(noise.contains("judge"));
  EXPECT_EQ(noise.at("judge").pairs, 1000);
  EXPECT_NEAR(noise.at("judge").process_spread, 0.005, 0.0005);
}

// 1000 products of two medians of 6 blocks: each median has a standard deviation of about 1.25 x 0.01 / sqrt(6) = 0.005, the mean
// of the products one of 0.005^2 / sqrt(1000), and its square root is below 0.0015 with 99 %.
TEST(ProcessSpread, IsNothingWhereOnlyBlocksScatter) {
  const auto noise = noise_of(Recorder({.blocks = 0.01, .processes = 0}).record(200, 0, 0).pairs);
  ASSERT_TRUE(noise.contains("judge"));
  EXPECT_LT(noise.at("judge").process_spread, 0.0015);
}

// A place that is always slower is luck that no further process averages away: it counts.
TEST(ProcessSpread, HoldsABiasToo) {
  const auto noise = noise_of(Recorder({.processes = 0, .bias = 0.01}).record(50, 0, 0).pairs);
  ASSERT_TRUE(noise.contains("judge"));
  EXPECT_NEAR(noise.at("judge").process_spread, 0.01, 0.001);
}

// It is for single pairs of processes, which may scatter more than fresh ones do: sqrt(0.002^2 + 0.006^2). The products of 400
// have a standard deviation of about 5e-5, their mean one of 2.5e-6, which is 0.0002 of the spread.
TEST(ProcessSpread, IsThatOfSinglePairsWhereThereAreEnough) {
  const Instrument instrument{.blocks = 0.01, .processes = 0.002, .single = 0.006};
  EXPECT_NEAR(noise_of(Recorder(instrument).record(40, 400, 0).pairs).at("judge").process_spread, 0.0063, 0.0008);
  EXPECT_EQ(noise_of(Recorder(instrument).record(40, 400, 0).pairs).at("judge").pairs, 400);
  EXPECT_EQ(noise_of(Recorder(instrument).record(40, 29, 0).pairs).at("judge").pairs, 229);
}

// What the host takes scatters more than kernels do: one spread for both is too wide for these and too narrow for that.
TEST(ProcessSpread, IsThatOfEachClock) {
  auto pairs = Recorder({.blocks = 1e-4, .processes = 0.001}).record(0, 100, 0).pairs;
  for (RacedPair& p : pairs) p.clock = "gpu";
  std::ranges::move(Recorder({.blocks = 1e-4, .processes = 0.05}).record(0, 100, 0).pairs, std::back_inserter(pairs));
  const auto noise = noise_of(pairs);
  EXPECT_NEAR(noise.at("gpu").process_spread, 0.001, 0.0003);
  EXPECT_NEAR(noise.at("judge").process_spread, 0.05, 0.015);
  EXPECT_THAT(shortcomings(rates_of(pairs)), Not(Contains(HasSubstr("intervals of the same code hold 1"))));
}

// Products of -1 and 1 have no mean, and a standard deviation that says how little four of them tell.
TEST(ProcessSpread, FewPairsThatCancelAreNoReasonForNarrowIntervals) {
  std::vector<RacedPair> pairs;
  for (const double second : {1.1, 1 / 1.1, 1.1, 1 / 1.1}) {
    RacedPair p{.truth = 0, .clock = "pace", .least = 2};
    for (int b = 0; b < 6; ++b) p.blocks.push_back({0, b % 2 == 0 ? 1.1 : second, 1.0, false});
    pairs.push_back(p);
  }
  EXPECT_EQ(noise_of(pairs).at("pace").process_spread, 0.01);
}

TEST(ProcessSpread, IsNotKnownFromMoreWork) { EXPECT_TRUE(noise_of(Recorder({}).record(0, 0, 10).pairs).empty()); }

// One block of 30 % that the machine disturbed.
TEST(ProcessSpread, LeavesOutWhatWasDiscarded) {
  RacedPair p{.truth = 0, .least = 2};
  for (int process = 0; process < 2; ++process)
    for (int b = 0; b < 6; ++b) p.blocks.push_back({process, b < 2 ? 1.3 : 1.0, 1.0, b < 2});
  EXPECT_EQ(noise_of({p}).at("").process_spread, 0);
}

TEST(Rates, CountEachPairOnceAndInItsPlace) {
  Recorder recorder({.blocks = 1e-4, .processes = 0});
  std::vector<RacedPair> pairs{recorder.pair(PairKind::aa, 0, 1, 20), recorder.pair(PairKind::aa, 0, 5, 4),
                               recorder.pair(PairKind::more, 5, 1, 20), recorder.pair(PairKind::more, 3, 1, 20)};
  Recorder wild({.blocks = 0.2});
  pairs.push_back(wild.pair(PairKind::more, 5, 1, 20));
  pairs.push_back({.task = "svd", .failed = "wrong: of a basis of its own"});
  pairs[0].alarm = "below the floor";
  const Rates rates = rates_of(pairs);
  EXPECT_EQ(rates.one.tie, 1);
  EXPECT_EQ(rates.several.tie, 1);
  EXPECT_EQ(rates.one.pairs + rates.several.pairs, 2);
  EXPECT_EQ(rates.narrow.at(5).slower, 1);
  EXPECT_EQ(rates.narrow.at(3).slower, 1);
  EXPECT_EQ(rates.narrow.at(5).covered + rates.narrow.at(3).covered, 2);  // the truth that the candidate is slower
  EXPECT_EQ(rates.narrow.at(5).pairs, 1);
  EXPECT_EQ(rates.wide.at(5).pairs, 1);
  EXPECT_EQ(rates.failed, 1);
  EXPECT_EQ(rates.alarms, 1);
}

// The spread between processes has to enter the interval of a pair that had one: 1.96 x 0.01 alone is wider than +-1 %.
TEST(Rates, WidenByTheSpreadBetweenProcesses) {
  Recorder recorder({.blocks = 1e-4, .processes = 0.01});
  std::vector<RacedPair> pairs;
  for (int i = 0; i < 40; ++i) pairs.push_back(recorder.pair(PairKind::aa, 0, 5, 4));
  pairs.push_back(recorder.pair(PairKind::more, 5, 1, 20));
  const Rates rates = rates_of(pairs);
  EXPECT_THAT(rates.narrow, IsEmpty());
  EXPECT_EQ(rates.wide.at(5).pairs, 1);
}

TEST(Shortcomings, AGoodInstrumentHasNone) { EXPECT_THAT(shortcomings_of({}), IsEmpty()); }

// The candidate's place is 1.2 % slower, which is the truth of nothing. It hides in the spread between processes, so that single
// pairs hold 1; those of five processes do not. With 60 of 460 that is seen.
TEST(Shortcomings, ABiasedInstrumentDoesNotCover) {
  EXPECT_THAT(shortcomings_of({.processes = 0.0005, .bias = -0.012}), Contains(HasSubstr("intervals of the same code hold 1")));
}

TEST(Shortcomings, AStrongBiasIsCalledADifference) {
  EXPECT_THAT(shortcomings_of({.processes = 0.0005, .bias = -0.03}), Contains(HasSubstr("are called different")));
}

// What single pairs of processes scatter more than fresh ones enters their intervals.
TEST(Shortcomings, LuckOfSinglePairsIsSeen) { EXPECT_THAT(shortcomings_of({.single = 0.004}), IsEmpty()); }

// A standard deviation does not hold what strikes one process in ten: 0.02 is more than 1.96 x 0.02 x sqrt(0.1).
TEST(Shortcomings, LuckThatIsRareAndLargeIsNotCovered) {
  EXPECT_THAT(shortcomings_of({.rare = 0.02}), Contains(HasSubstr("intervals of the same code hold 1")));
}

// A pair that is off by much must not widen its own interval until it fits: the other half of the pairs knows nothing of it.
TEST(Rates, NoPairVouchesForItself) {
  Recorder recorder({.blocks = 1e-4, .processes = 1e-4});
  std::vector<RacedPair> pairs;
  for (int i = 0; i < 70; ++i) pairs.push_back(recorder.pair(PairKind::aa, 0, 1, 20));
  Recorder off({.blocks = 1e-4, .processes = 0, .bias = 0.05});
  for (int i = 0; i < 70; i += 2) pairs[i] = off.pair(PairKind::aa, 0, 1, 20);
  for (int i = 0; i < 70; ++i) pairs[i].task = std::to_string(i);
  EXPECT_EQ(rates_of(pairs).one.slower, 0);
  EXPECT_EQ(rates_of(pairs).one.faster, 35);
}

// Half of the work is not seen: 5 % look like 2.5, which are called slower by a narrow interval only, 10 % like 5.
TEST(Shortcomings, AnInstrumentThatDoesNotSeeTheWork) {
  const auto lacks = shortcomings_of({.sees = 0.5});
  EXPECT_THAT(lacks, Contains(HasSubstr("narrow races of 5 % more work are called slower")));
  EXPECT_THAT(lacks, Not(Contains(HasSubstr("10 %"))));
}

// Wide intervals are honest and useless.
TEST(Shortcomings, AnInstrumentThatNeverCommits) {
  EXPECT_THAT(shortcomings_of({.blocks = 0.2}), Contains("no race of 5 % more work has an interval within +-1 %"));
}

TEST(Shortcomings, TooFewToKnow) {
  EXPECT_THAT(shortcomings(rates_of({})),
              ElementsAre("0 pairs of the same code, 200 are needed", "0 races of 3 % more work, 20 are needed",
                          "0 races of 5 % more work, 20 are needed", "no race of 5 % more work has an interval within +-1 %",
                          "0 races of 10 % more work, 20 are needed", "no race of 10 % more work has an interval within +-1 %"));
}

}  // namespace
}  // namespace kbx
