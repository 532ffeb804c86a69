// SPDX-License-Identifier: Apache-2.0
#include "measure/caches.h"

#include <ATen/ops/full_like.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace kbx {
namespace {

namespace fs = std::filesystem;

class Caches : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  void cache(const std::string& index, const std::string& type, const std::string& size) {
    fs::create_directories(folder_ / index);
    std::ofstream(folder_ / index / "type") << type << "\n";
    std::ofstream(folder_ / index / "size") << size << "\n";
  }
  fs::path folder_ = fs::temp_directory_path() / ("kbx-caches-" + std::to_string(std::random_device()()));
};

TEST_F(Caches, TheLastLevelIsTheLargestThatHoldsData) {
  cache("index0", "Data", "48K");
  cache("index1", "Instruction", "999999K");
  cache("index3", "Unified", "32768K");
  cache("index2", "Unified", "2048K");
  EXPECT_EQ(last_level_bytes(folder_), 32768 * 1024);
}

TEST_F(Caches, AMachineThatTellsNothingHasNone) {
  EXPECT_EQ(last_level_bytes(folder_), 0);
  fs::create_directories(folder_ / "power");
  EXPECT_EQ(last_level_bytes(folder_), 0);
}

TEST(CacheFlush, WritesEveryByteEachTime) {
  CacheFlush flush(at::kCPU);
  for (int i = 1; i <= 2; ++i) {
    flush();
    EXPECT_TRUE(flush.memory().equal(at::full_like(flush.memory(), i)));
  }
}

TEST(CacheFlush, ALargeCacheOfAServerIsNotWalkedWhole) {
  const int64_t told = last_level_bytes("/sys/devices/system/cpu/cpu0/cache");
  EXPECT_EQ(CacheFlush(at::kCPU).bytes(), told > 0 && told < 32 << 20 ? told : 32 << 20);
}

}  // namespace
}  // namespace kbx
