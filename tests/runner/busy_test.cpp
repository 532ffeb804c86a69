// SPDX-License-Identifier: Apache-2.0
#include "device/busy.h"

#include <gtest/gtest.h>

namespace kbx::device {
namespace {

using Times = std::vector<uint64_t>;
constexpr uint64_t kUs = 1000;

TEST(Busy, OneKernelTakesItsOwnTime) { EXPECT_EQ(busy_times({{110, 150}}, {100}), Times({40})); }

TEST(Busy, TwoStreamsAtOnceAreNotCountedTwice) {
  // 10..60 and 30..80 together cover 70; 40..50 lies within them.
  EXPECT_EQ(busy_times({{10, 60}, {30, 80}, {40, 50}}, {0}), Times({70}));
}

TEST(Busy, AShortKernelAfterALongOneThatCoversItDoesNotOpenAGap) {
  // Were the end of the last record taken for the end of all, a gap from 20 to 900 us would be seen.
  EXPECT_EQ(busy_times({{0, 900 * kUs}, {10 * kUs, 20 * kUs}, {900 * kUs, 901 * kUs}}, {0}), Times({901 * kUs}));
}

TEST(Busy, AGapOfALaunchIsFreeAndALongerOneCountsInFull) {
  EXPECT_EQ(busy_times({{0, 5 * kUs}, {104 * kUs, 110 * kUs}}, {0}), Times({11 * kUs}));   // 99 us idle
  EXPECT_EQ(busy_times({{0, 5 * kUs}, {105 * kUs, 110 * kUs}}, {0}), Times({10 * kUs}));   // 100 us idle
  EXPECT_EQ(busy_times({{0, 5 * kUs}, {106 * kUs, 110 * kUs}}, {0}), Times({110 * kUs}));  // 101 us idle
}

TEST(Busy, GapsBetweenCallsAreNobodys) {
  EXPECT_EQ(busy_times({{1 * kUs, 2 * kUs}, {900 * kUs, 903 * kUs}}, {0, 800 * kUs}), Times({1 * kUs, 3 * kUs}));
}

TEST(Busy, WhatStartedBeforeTheFirstMarkIsIgnored) { EXPECT_EQ(busy_times({{90, 130}, {110, 120}}, {100}), Times({10})); }

TEST(Busy, ACallOwnsWhatStartsAtItsMark) { EXPECT_EQ(busy_times({{100, 105}, {200, 207}}, {100, 200}), Times({5, 7})); }

TEST(Busy, ACallThatRanNothingTakesNoTime) {
  EXPECT_EQ(busy_times({{10, 20}, {210, 240}}, {0, 100, 200, 300}), Times({10, 0, 30, 0}));
  EXPECT_EQ(busy_times({}, {0}), Times({0}));
  EXPECT_EQ(busy_times({{1, 2}}, {}), Times());
}

TEST(Busy, RecordsArriveInAnyOrder) { EXPECT_EQ(busy_times({{210, 240}, {10, 20}, {15, 30}}, {0, 200}), Times({20, 30})); }

}  // namespace
}  // namespace kbx::device
