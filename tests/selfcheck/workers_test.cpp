// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/workers.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

TEST(Workers, AnAnswerAndAnErrorFromAnotherProcessArriveWhole) {
  const auto answer = asked_elsewhere([]() -> Result<std::string> { return std::string(100000, 'x'); });
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->size(), 100000u);
  const auto error = asked_elsewhere([]() -> Result<std::string> { return Error{"no device", "buy one"}; });
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().text(), "no device (buy one)");
}

TEST(Workers, WhatDiesElsewhereIsAnErrorHere) {
  EXPECT_FALSE(asked_elsewhere([]() -> Result<std::string> { std::abort(); }).ok());
}

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
