// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/arena.h"

namespace kbx {
namespace {

constexpr size_t kPage = 4096;

std::unique_ptr<Arena> arena_of(size_t bytes) {
  auto arena = make_host_arena(bytes);
  EXPECT_TRUE(arena.ok());
  return *std::move(arena);
}

uintptr_t address(const Buffer& b) { return reinterpret_cast<uintptr_t>(b.tensor.data_ptr()); }

wire::Segment segment_of(const Arena& arena, const Buffer& b) {
  for (const auto& e : arena.exports())
    if (e.segment.id == b.remote.segment) return e.segment;
  ADD_FAILURE() << "no segment";
  return {};
}

// 100 floats are 400 bytes: the largest multiple of 64 that is at most 4096 - 400 = 3696 is 3648.
TEST(HostArena, ABufferStartsOn64BytesAndEndsAtThePageEnd) {
  auto arena = arena_of(1 << 20);
  const Buffer b = *arena->allocate(at::kFloat, {100}, {1});
  EXPECT_EQ(b.remote.offset, 3648u);
  EXPECT_EQ(address(b) % 64, 0u);
  EXPECT_EQ(segment_of(*arena, b).length, kPage);
}

TEST(HostArena, AMultipleOf64BytesAbutsThePageEnd) {
  auto arena = arena_of(1 << 20);
  const Buffer b = *arena->allocate(at::kFloat, {1024, 3}, {3, 1});
  EXPECT_EQ(b.remote.offset + 1024 * 3 * 4, segment_of(*arena, b).length);
}

TEST(HostArena, AMisalignedBufferHasThatManyBytesMore) {
  auto arena = arena_of(1 << 20);
  for (int64_t misalign : {2, 30, 62}) {
    const Buffer b = *arena->allocate(at::kHalf, {2048}, {1}, misalign);
    EXPECT_EQ(address(b) % 64, static_cast<uintptr_t>(misalign));
    const wire::Segment s = segment_of(*arena, b);
    EXPECT_EQ(s.length, 2 * kPage);
    EXPECT_LT(s.length - (b.remote.offset + 4096), 64u);
  }
}

// Strides (8, 2) reach element 2*8 + 3*2 = 22, the 23rd.
TEST(HostArena, StridesAreKeptAndTheSpanIsWhatTheyReach) {
  auto arena = arena_of(1 << 20);
  const Buffer b = *arena->allocate(at::kDouble, {3, 4}, {8, 2});
  EXPECT_EQ(b.tensor.strides(), (at::IntArrayRef{8, 2}));
  EXPECT_EQ(b.remote.strides, (std::vector<int64_t>{8, 2}));
  EXPECT_EQ(b.tensor.storage().nbytes(), 23 * sizeof(double));
}

TEST(HostArena, AnExpandedTensorTakesOneRow) {
  auto arena = arena_of(1 << 20);
  const Buffer b = *arena->allocate(at::kFloat, {1000, 4}, {0, 1});
  EXPECT_EQ(segment_of(*arena, b).length, kPage);
}

TEST(HostArena, ATensorWithoutElementsHasAPageOfItsOwn) {
  auto arena = arena_of(1 << 20);
  const Buffer b = *arena->allocate(at::kFloat, {3, 0}, {1, 1});
  EXPECT_EQ(b.tensor.numel(), 0);
  EXPECT_LE(b.remote.offset, segment_of(*arena, b).length);
  arena->fill_red_zones(0xa5);
  EXPECT_FALSE(arena->red_zones_changed());
}

TEST(HostArena, WritingTheTensorIsNoTrespass) {
  auto arena = arena_of(1 << 20);
  Buffer a = *arena->allocate(at::kFloat, {100}, {1}), b = *arena->allocate(at::kFloat, {33}, {1}, 4);
  arena->fill_red_zones(0xa5);
  a.tensor.fill_(1);
  b.tensor.fill_(2);
  EXPECT_FALSE(arena->red_zones_changed());
  EXPECT_EQ(a.tensor.sum().item<float>(), 100);
}

TEST(HostArena, AByteOnEitherSideIsFoundWithItsDistance) {
  auto arena = arena_of(1 << 20);
  ASSERT_TRUE(arena->allocate(at::kFloat, {100}, {1}).ok());
  const Buffer b = *arena->allocate(at::kFloat, {100}, {1});
  auto* bytes = static_cast<uint8_t*>(b.tensor.data_ptr());
  arena->fill_red_zones(0xa5);
  bytes[400] ^= 1;
  auto found = arena->red_zones_changed();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->buffer, 1u);
  EXPECT_EQ(found->distance, 0);
  bytes[400] ^= 1;
  bytes[-1] ^= 1;
  found = arena->red_zones_changed();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->distance, -1);
}

TEST(HostArena, MoreThanItHoldsIsAnErrorAndResetMakesRoom) {
  auto arena = arena_of(8 * kPage);
  EXPECT_TRUE(arena->allocate(at::kByte, {8 * kPage}, {1}).ok());
  EXPECT_FALSE(arena->allocate(at::kByte, {1}, {1}).ok());
  EXPECT_FALSE(arena->allocate(at::kByte, {int64_t{1} << 62}, {1}).ok());
  arena->reset();
  EXPECT_TRUE(arena->allocate(at::kByte, {1}, {1}).ok());
}

TEST(HostArena, AfterResetTheSameLayoutLiesAtTheSameAddress) {
  auto arena = arena_of(1 << 20);
  const uintptr_t first = address(*arena->allocate(at::kFloat, {7}, {1}));
  arena->reset();
  EXPECT_EQ(address(*arena->allocate(at::kFloat, {7}, {1})), first);
}

// What a runner could do with the descriptor that it is sent.
TEST(HostArena, TheFileCannotBeShrunkGrownOrSealed) {
  auto arena = arena_of(1 << 20);
  const int fd = arena->exports().front().descriptor;
  EXPECT_NE(ftruncate(fd, 0), 0);
  EXPECT_NE(ftruncate(fd, 1 << 24), 0);
  EXPECT_NE(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
}

TEST(HostArena, EveryDtypeGoesToTheWireAndBack) {
  for (at::ScalarType t :
       {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kFloat, at::kDouble, at::kBFloat16, at::kBool,
        at::kComplexHalf, at::kComplexFloat, at::kComplexDouble, at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    EXPECT_EQ(from_wire(to_wire(t)), t);
    EXPECT_EQ(to_wire(t).bits, 8 * c10::elementSize(t));
  }
  EXPECT_FALSE(from_wire({2, 8}));
}

}  // namespace
}  // namespace kbx
