// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/workers.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

TEST(Workers, ADeviceThatDoesNotStartIsAProblemOfTheTask) {
  WorkerOptions options;
  options.start_device = []() -> Status { return Error{"out of memory", ""}; };
  const auto reports = check_tasks({find_task("add")}, options, std::atomic<bool>(false), [](const TaskReport&) {});
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_EQ(reports[0].problems.size(), 1u);
  EXPECT_EQ(reports[0].problems[0], "out of memory");
}

}  // namespace
}  // namespace kbx
