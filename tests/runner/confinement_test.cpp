// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

TEST(VisibleDevice, ACpuRunnerSeesNoGpu) {
  EXPECT_EQ(visible_device(-1, nullptr), "");
  EXPECT_EQ(visible_device(-1, "0,1"), "");
}

TEST(VisibleDevice, WithoutAListOrdinalsAreTheMachines) {
  EXPECT_EQ(visible_device(0, nullptr), "0");
  EXPECT_EQ(visible_device(7, nullptr), "7");
}

TEST(VisibleDevice, OrdinalsCountWithinTheJudgesOwnList) {
  EXPECT_EQ(visible_device(0, "3,1"), "3");
  EXPECT_EQ(visible_device(1, "3, 1"), "1");
  EXPECT_EQ(visible_device(1, "GPU-11aa,GPU-22bb"), "GPU-22bb");
  EXPECT_EQ(visible_device(0, "MIG-5c/1/0"), "MIG-5c/1/0");
}

TEST(VisibleDevice, WhatIsBeyondTheListStaysHidden) {
  EXPECT_EQ(visible_device(1, "3"), "");
  EXPECT_EQ(visible_device(0, ""), "");
  EXPECT_EQ(visible_device(0, "-1"), "");
  EXPECT_EQ(visible_device(1, "0,-1,1"), "");
  EXPECT_EQ(visible_device(2, "0,-1,1"), "");
}

}  // namespace
}  // namespace kbx
