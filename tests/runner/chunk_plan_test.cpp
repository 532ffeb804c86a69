// SPDX-License-Identifier: Apache-2.0
#include "runner/chunk_plan.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

constexpr size_t kUnit = 2u << 20;

// Places a buffer, with a new chunk where there is none.
ChunkPlan::Place put(ChunkPlan& plan, size_t bytes, Access access, size_t misalign = 0) {
  auto place = plan.place(bytes, misalign, access);
  if (!place) {
    const auto length = plan.wanted(bytes, access);
    EXPECT_TRUE(length.has_value());
    plan.add(length.value_or(kUnit), access);
    place = plan.place(bytes, misalign, access);
  }
  EXPECT_TRUE(place.has_value());
  return place.value_or(ChunkPlan::Place{});
}

TEST(ChunkPlan, EveryBufferEndsWithin256BytesOfItsMappingsEnd) {
  ChunkPlan plan(kUnit, 256u << 20);
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{4}, size_t{255}, size_t{256}, size_t{1000}, kUnit - 1, kUnit, kUnit + 1}) {
    const auto at = put(plan, bytes, Access::write);
    EXPECT_EQ(at.start % 256, 0u) << bytes;
    EXPECT_LE(at.start + bytes, plan.length(at.chunk)) << bytes;
    EXPECT_LT(plan.length(at.chunk) - (at.start + bytes), 256u) << bytes;
  }
}

TEST(ChunkPlan, AMisalignedBufferKeepsItsDistanceFrom256Bytes) {
  ChunkPlan plan(kUnit, 256u << 20);
  const auto at = put(plan, 1000, Access::read, 34);
  EXPECT_EQ(at.start % 256, 34u);
  EXPECT_LE(at.start + 1000, plan.length(at.chunk));
}

TEST(ChunkPlan, WhatMayBeReadNeverSharesAMappingWithWhatMayBeWritten) {
  ChunkPlan plan(kUnit, 1u << 30);
  for (int i = 0; i < 100; ++i) {
    const Access access = i % 2 == 0 ? Access::read : Access::write;
    EXPECT_EQ(plan.access(put(plan, 64, access).chunk), access);
  }
}

TEST(ChunkPlan, ChunksAreUsedAgainAfterAReset) {
  ChunkPlan plan(kUnit, 256u << 20);
  for (int round = 0; round < 5; ++round) {
    plan.reset();
    put(plan, 100, Access::read);
    put(plan, 3 * kUnit, Access::read);
    put(plan, 100, Access::write);
  }
  EXPECT_EQ(plan.size(), 3u);
}

TEST(ChunkPlan, ASmallBufferDoesNotTakeALargeChunkWhenThereIsASmallOne) {
  ChunkPlan plan(kUnit, 256u << 20);
  put(plan, 10 * kUnit, Access::write);
  const size_t small = put(plan, 100, Access::write).chunk;
  plan.reset();
  EXPECT_EQ(put(plan, 100, Access::write).chunk, small);
}

TEST(ChunkPlan, BuffersBeyondTheOwnChunksShareWithRedZonesBetweenThem) {
  ChunkPlan plan(kUnit, 1u << 30);
  std::vector<ChunkPlan::Place> places;
  for (size_t i = 0; i < ChunkPlan::kOwnChunks + 3; ++i) places.push_back(put(plan, 1000, Access::write));
  const auto last = places.back(), before = places[places.size() - 2];
  ASSERT_EQ(last.chunk, before.chunk);
  EXPECT_GE(before.start - (last.start + 1000), ChunkPlan::kRedZone);
}

TEST(ChunkPlan, ManyBuffersFitIntoTheLimitWhateverTheChunks) {
  ChunkPlan plan(kUnit, 8 * kUnit);
  for (int i = 0; i < 1000; ++i) put(plan, 4096, Access::write);
}

TEST(ChunkPlan, WhatDoesNotFitIntoTheLimitIsRefused) {
  ChunkPlan plan(kUnit, 4 * kUnit);
  EXPECT_FALSE(plan.wanted(4 * kUnit, Access::write).has_value());
  EXPECT_TRUE(plan.wanted(3 * kUnit, Access::write).has_value());
}

// 1000 bytes at the end of 2 MiB start at 2 MiB - 1024 and leave 24.
TEST(ChunkPlan, GapsAreAllThatLiesAroundTheBuffersAndNameTheNearest) {
  ChunkPlan plan(kUnit, 256u << 20);
  const auto at = put(plan, 1000, Access::write);
  const auto gaps = plan.gaps(at.chunk);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0], (ChunkPlan::Gap{kUnit - 1024 - 4096, kUnit - 1024}));
  EXPECT_EQ(gaps[1], (ChunkPlan::Gap{kUnit - 24, kUnit}));
  const auto behind = plan.nearest(at.chunk, kUnit - 20), ahead = plan.nearest(at.chunk, kUnit - 1025);
  EXPECT_EQ(behind.buffer, 0u);
  EXPECT_EQ(behind.distance, 4);
  EXPECT_EQ(ahead.distance, -1);
}

}  // namespace
}  // namespace kbx
