// SPDX-License-Identifier: Apache-2.0
// What a hostile runner may say about its Triton cache.
#include "runner/handover.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace kbx {
namespace {

class Harvest : public ::testing::Test {
 protected:
  Harvest() {
    auto made = harvest_memory();
    EXPECT_TRUE(made.ok());
    memory = *std::move(made);
  }
  void write(const std::string& bytes) {
    ASSERT_EQ(pwrite(memory.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  bool accepts(const std::vector<HarvestEntry>& entries) { return read_harvest(memory.get(), entries).has_value(); }

  Descriptor memory;
};

TEST_F(Harvest, FilesLieOneBehindTheOther) {
  write("abcde");
  const auto files = read_harvest(memory.get(), {{"KEY/k.json", 2}, {"KEY/empty", 0}, {"OTHER/k.cubin", 3}});
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 3u);
  EXPECT_EQ((*files)[0].bytes, "ab");
  EXPECT_EQ((*files)[1].bytes, "");
  EXPECT_EQ((*files)[2].path, "OTHER/k.cubin");
  EXPECT_EQ((*files)[2].bytes, "cde");
}

TEST_F(Harvest, NoPathLeadsOutOfTheFolder) {
  ASSERT_TRUE(accepts({{"KEY/__grp__k.json", 1}}));
  for (const char* path : {"", "/", "KEY", "KEY/", "/k", "../k", "KEY/..", "KEY/../k", "KEY/a/b", "./k", "KEY/.", "KEY/.hidden",
                           "/etc/passwd", "KEY/a b", "KEY/a\nb", "KEY/\xc3\xa4", "KEY\\k", "KEY//k"})
    EXPECT_FALSE(accepts({{path, 1}})) << path;
  EXPECT_FALSE(accepts({{std::string("KEY/a\0b", 7), 1}}));
  EXPECT_FALSE(accepts({{"KEY/" + std::string(256, 'a'), 1}}));
}

TEST_F(Harvest, OneFileIsNotWrittenTwice) { EXPECT_FALSE(accepts({{"KEY/k", 1}, {"KEY/k", 1}})); }

TEST_F(Harvest, SizesBeyondTheMemoryAreRefusedWithoutAnAllocation) {
  EXPECT_FALSE(accepts({{"KEY/k", kMaxHarvest + 1}}));
  EXPECT_FALSE(accepts({{"KEY/k", kMaxHarvest}, {"KEY/l", 1}}));
  EXPECT_FALSE(accepts({{"KEY/k", 1}, {"KEY/l", UINT64_MAX}}));  // the sum would wrap around
}

TEST_F(Harvest, TheRunnerCannotShrinkTheMemoryThatTheJudgeReads) {
  EXPECT_NE(ftruncate(memory.get(), 0), 0);
  EXPECT_NE(ftruncate(memory.get(), static_cast<off_t>(kMaxHarvest) * 2), 0);
  EXPECT_NE(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  EXPECT_TRUE(accepts({{"KEY/k", kMaxHarvest}}));
}

TEST(HarvestMessage, BytesTooFewOrTooManyAreMalformed) {
  wire::Writer w(wire::Type::harvested);
  w.u32(2).str("KEY/k").u64(5).str("KEY/l").u64(6);
  const std::string whole = w.finish();
  const auto entries = parse_harvested(whole);
  ASSERT_TRUE(entries && entries->size() == 2);
  EXPECT_EQ((*entries)[1].path, "KEY/l");
  EXPECT_EQ((*entries)[1].size, 6u);
  const auto counting = [](uint32_t count) {
    wire::Writer claimed(wire::Type::harvested);
    claimed.u32(count).str("KEY/k").u64(5);
    return parse_harvested(claimed.finish());
  };
  EXPECT_TRUE(counting(1));
  for (const uint32_t count : {0u, 2u, UINT32_MAX}) EXPECT_FALSE(counting(count)) << count;
  EXPECT_FALSE(parse_harvested(wire::Writer(wire::Type::reported).finish()));
}

}  // namespace
}  // namespace kbx
