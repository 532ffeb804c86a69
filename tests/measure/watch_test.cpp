// SPDX-License-Identifier: Apache-2.0
#include "measure/watch.h"

#include <gtest/gtest.h>

#include "measure/nvml.h"

namespace kbx {
namespace {

// One block whose begin and end look like this.
std::string block(Watch& watch, std::optional<GpuState>& now, GpuState begin, GpuState end) {
  now = begin;
  watch.begin(0);
  now = end;
  return watch.end(0);
}

class GpuWatchTest : public ::testing::Test {
 protected:
  std::string block(GpuState begin, GpuState end) { return kbx::block(*watch_, now_, begin, end); }
  std::string block(unsigned mhz, uint64_t reasons = 0) { return block({mhz, 40, reasons}, {mhz, 40, reasons}); }

  std::optional<GpuState> now_;
  std::unique_ptr<Watch> watch_ = watch_gpu([this] { return now_; });
};

TEST_F(GpuWatchTest, EverySlowdownDiscardsAndNoOtherReasonDoes) {
  // nvml.h: idle 1, application clocks 2, power cap 4, hardware 8, sync boost 0x10, software thermal 0x20, hardware thermal 0x40,
  // power brake 0x80, display clocks 0x100.
  for (const uint64_t harmless : {0x00, 0x01, 0x02, 0x04, 0x10, 0x100}) EXPECT_EQ(block(1980, harmless), "") << harmless;
  for (const uint64_t slow : {0x08, 0x20, 0x40, 0x80}) EXPECT_NE(block(1980, slow), "") << slow;
  EXPECT_EQ(block(1980, 0x48), "thermal slowdown by the hardware");
  EXPECT_EQ(block(1980, 0x88), "power brake");
}

TEST_F(GpuWatchTest, ASlowdownThatEndsWithinTheBlockStillDisturbedIt) {
  EXPECT_NE(block({1980, 40, 0x20}, {1980, 40, 0}), "");
  EXPECT_EQ(block({1980, 40, 0}, {1980, 40, 0}), "") << "a block answers for itself, not for the one before";
}

TEST_F(GpuWatchTest, AClockMoreThanFivePercentOffDiscardsInEitherDirection) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(block(2000), "");
  EXPECT_EQ(block(1901), "");
  EXPECT_EQ(block(2099), "");
  EXPECT_NE(block(1899), "");
  EXPECT_NE(block(2101), "");
}

TEST_F(GpuWatchTest, ANewClockBecomesTheUsualOneAfterAsManyBlocks) {
  EXPECT_EQ(block(1200), "");
  EXPECT_EQ(block(1200), "");
  EXPECT_NE(block(1980), "");
  EXPECT_NE(block(1980), "");
  EXPECT_EQ(block(1980), "");
}

TEST_F(GpuWatchTest, AnIdleClockAtTheBeginIsNotThatOfTheBlock) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(block({345, 40, 1}, {1980, 40, 0}), "");
  EXPECT_EQ(watch_->summary(), "1980 MHz, 40 C, not throttled");
}

TEST_F(GpuWatchTest, SummaryNamesMedianClockHighestTemperatureAndTheWorstReason) {
  block({1980, 40, 0}, {1980, 41, 0});
  block({1980, 40, 0}, {1980, 44, 0x04});
  block({1980, 40, 0}, {1965, 43, 0});
  EXPECT_EQ(watch_->summary(), "1980 MHz, 44 C, power cap");
  block(1980, 0x20);
  EXPECT_EQ(watch_->summary(), "1980 MHz, 44 C, thermal slowdown by the driver");
}

TEST(GpuWatch, WhereNothingIsSeenEveryBlockCounts) {
  const auto watch = watch_gpu([] { return std::optional<GpuState>(); });
  watch->begin(0);
  EXPECT_EQ(watch->end(0), "");
  EXPECT_EQ(watch->summary(), "");
}

TEST(Nvml, AnOrdinalThatNoMachineHasIsSeenByNobody) { EXPECT_FALSE(nvml_probe(4095)().has_value()); }

class CpuWatchTest : public ::testing::Test {
 protected:
  std::string block(double seconds, double stolen, uint64_t switches) {
    watch_->begin(7);
    now_.seconds += seconds;
    now_.stolen += stolen;
    return watch_->end(7 + switches);
  }

  CpuState now_{1000, 50};
  std::unique_ptr<Watch> watch_ = watch_cpu([this] { return std::optional(now_); });
};

TEST_F(CpuWatchTest, ACoreTakenAwayMoreThanOncePerTenMillisecondsDiscards) {
  EXPECT_EQ(block(0.1001, 0, 10), "");
  EXPECT_NE(block(0.1001, 0, 11), "");
  EXPECT_EQ(block(0.004, 0, 0), "");
  EXPECT_NE(block(0.004, 0, 1), "") << "one in 4 ms is more often than one in 10 ms";
}

TEST_F(CpuWatchTest, MoreThanAHundredthStolenDiscards) {
  EXPECT_EQ(block(2, 0.019, 0), "");
  EXPECT_NE(block(2, 0.021, 0), "");
  EXPECT_EQ(watch_->summary(), "steal 1.0 %");
}

TEST_F(CpuWatchTest, ARunnerThatHasEndedHasLessSwitchesAndDoesNotDiscard) {
  watch_->begin(1000);
  now_.seconds += 1;
  EXPECT_EQ(watch_->end(0), "");
}

TEST(StolenTicks, IsTheEighthNumberOfAllCoresTogether) {
  EXPECT_EQ(stolen_ticks("cpu  85591 1 8095 50181 341 2 118 273 5 6"), 273u);
  EXPECT_EQ(stolen_ticks("cpu  85591 1 8095 50181"), std::nullopt);  // Linux 2.4 and what pretends to be it
  EXPECT_EQ(stolen_ticks(""), std::nullopt);
}

TEST(MakeWatch, OnTheCpuOfThisMachineSeesTheTimeOfABlock) {
  const auto watch = make_watch(at::kCPU);
  watch->begin(0);
  watch->end(0);
  EXPECT_TRUE(watch->summary().starts_with("steal ")) << watch->summary();
}

}  // namespace
}  // namespace kbx
