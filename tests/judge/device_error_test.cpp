// SPDX-License-Identifier: Apache-2.0
#include "judge/device_error.h"

#include <gmock/gmock.h>

namespace kbx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(NoSuchDevice, AnOrdinalBeyondTheMachine) {
  const Error error = no_such_device(7, 2, nullptr);
  EXPECT_EQ(error.message, "there is no GPU cuda:7; visible are cuda:0 to cuda:1");
  EXPECT_THAT(error.remedy, HasSubstr("--device cuda:0 to cuda:1"));
}

TEST(NoSuchDevice, AnOrdinalThatCountsPastTheVisibleOnes) {
  const Error error = no_such_device(3, 1, "3");
  EXPECT_EQ(error.message, "there is no GPU cuda:3; visible is cuda:0, counted within CUDA_VISIBLE_DEVICES=3");
  EXPECT_THAT(error.remedy, HasSubstr("another CUDA_VISIBLE_DEVICES"));
}

TEST(NoSuchDevice, AVariableThatHidesEverythingIsNotAMissingDriver) {
  EXPECT_THAT(no_such_device(0, 0, "").remedy, HasSubstr("unset CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(no_such_device(0, 0, nullptr).remedy, HasSubstr("kbx doctor"));
  EXPECT_THAT(no_such_device(0, 0, nullptr).remedy, Not(HasSubstr("CUDA_VISIBLE_DEVICES")));
}

}  // namespace
}  // namespace kbx
