// SPDX-License-Identifier: Apache-2.0
#include "validation/more_work.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kbx {
namespace {

// Blocks that do not divide: the truth would not be what the page says.
TEST(MoreWork, IsExactlyWhatItIsCalled) {
  for (const at::DeviceType device : {at::kCPU, at::kCUDA})
    for (const Case& c : more_work_cases(device))
      for (const int more : kMoreLevels)
        EXPECT_NEAR(more_work_truth(c, device, more), -std::log1p(more / 100.0), 1e-15) << c.line;
}

// A GPU would answer smaller ones from its caches, and 3 % of them would be lost in the launch.
TEST(MoreWork, IsBeyondTheCachesOfAGpu) {
  const auto cases = more_work_cases(at::kCUDA);
  EXPECT_EQ(input_bytes(cases.front()), 65536000);
  EXPECT_EQ(input_bytes(cases.back()), 4 * 65536000);
}

TEST(MoreWork, SaysItsShareInTheSourceAndInTheName) {
  const auto candidate = more_work_candidate(at::kCPU, 5);
  ASSERT_TRUE(candidate);
  EXPECT_EQ(candidate->language, Language::cpp);
  EXPECT_NE(candidate->files.front().text.find("more = 5;"), std::string::npos);
  EXPECT_EQ(more_work_entry(at::kCPU, 5), "relu");
  EXPECT_EQ(more_work_entry(at::kCUDA, 5), "relu__5");
}

}  // namespace
}  // namespace kbx
