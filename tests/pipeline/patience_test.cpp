// SPDX-License-Identifier: Apache-2.0
#include "pipeline/patience.h"

#include <gtest/gtest.h>

#include "catalogue/task.h"

namespace kbx {
namespace {

Case of_elements(int64_t n) { return *parse_case(*find_task("relu"), "input=randn[" + std::to_string(n) + "]"); }

// A size whose truth takes minutes stops a whole run.
TEST(Patience, EndsWhereTheTruthWouldTakeMoreThanTwentySeconds) {
  Patience patience(*find_task("relu"), at::kCPU);
  patience.note(of_elements(1000), 2);
  EXPECT_TRUE(patience.bears(of_elements(10000)));
  EXPECT_FALSE(patience.bears(of_elements(10001)));
}

// Which cases a task is scored by must not follow from how busy the machine is.
TEST(Patience, ThePerfCasesOfTheTaskAreNeverLeftOut) {
  Patience patience(*find_task("relu"), at::kCPU);
  patience.note(of_elements(10), 1000);
  for (const Case& own : perf_cases_of(*find_task("relu"), at::kCPU)) EXPECT_TRUE(patience.bears(own)) << own.line;
}

// Small sizes take what starting takes: in proportion no large one would ever be timed.
TEST(Patience, NothingFollowsFromWhatTookNoSecond) {
  Patience patience(*find_task("relu"), at::kCPU);
  EXPECT_TRUE(patience.bears(of_elements(1 << 30)));
  patience.note(of_elements(10), 0.9);
  EXPECT_TRUE(patience.bears(of_elements(1 << 30)));
}

TEST(Patience, TheLargestSizeTellsMost) {
  Patience patience(*find_task("relu"), at::kCPU);
  patience.note(of_elements(1000), 1);
  patience.note(of_elements(100000), 1);
  patience.note(of_elements(1000), 5);
  EXPECT_TRUE(patience.bears(of_elements(2000000)));
  EXPECT_FALSE(patience.bears(of_elements(2000001)));
}

}  // namespace
}  // namespace kbx
