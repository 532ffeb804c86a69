// SPDX-License-Identifier: Apache-2.0
#include "device/launches.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kbx::device {
namespace {

using nlohmann::json;

json report(const Launches& l) { return json::parse(l.json(0)); }

TEST(DeviceNames, AMangledNameIsReadAndAPlainOneKept) {
  EXPECT_EQ(readable("_Z3addPf"), "add(float*)");
  EXPECT_EQ(readable("nvjet_tst_128x64_64x8"), "nvjet_tst_128x64_64x8");
  EXPECT_EQ(readable("_Zwhatever"), "_Zwhatever");
}

TEST(DeviceNames, ATemplateOfKilobytesDoesNotFillTheReport) { EXPECT_EQ(readable(std::string(5000, 'k')).size(), kMaxName); }

TEST(DeviceSums, LaunchesOfOneKernelOnSeveralStreamsAddUp) {
  Launches l;
  l.ran("_Z3addPf", {1000, 7, 16, 0});
  l.ran("_Z3addPf", {500, 13, 16, 2048});
  l.ran("other", {2000, 7, 32, 0});
  const json kernels = report(l)["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["name"], "other") << "the longest comes first";
  EXPECT_EQ(kernels[1], json::parse(R"j({"name": "add(float*)", "launches": 2, "nanoseconds": 1500, "registers": 16,
                                         "shared": 2048, "streams": 2})j"));
}

TEST(DeviceSums, AMillionDistinctNamesShareOneEntry) {
  Launches l;
  for (int i = 0; i < 3 * static_cast<int>(kMaxNames); ++i) l.ran("k" + std::to_string(i), {1, 0, 0, 0});
  const json kernels = report(l)["kernels"];
  EXPECT_LE(kernels.size(), kMaxReported + 1);
  uint64_t launches = 0;
  for (const json& k : kernels) launches += k["launches"].get<uint64_t>();
  EXPECT_EQ(launches, 3 * kMaxNames) << "time that is left out would change a share";
}

TEST(DeviceSums, TheLongestReportFitsIntoAMessage) {
  Launches l;
  for (int i = 0; i < 2000; ++i) l.ran(std::string(3000, 'x') + std::to_string(i) + std::string(1000, 'y'), {1, 0, 0, 0});
  for (int i = 0; i < 100; ++i) l.refused("f" + std::to_string(i) + std::string(3000, 'z'), 1, {});
  EXPECT_LT(l.json(0).size(), 56u * 1024);
}

TEST(DeviceBlame, AKernelOfAnEarlierCallIsNotBlamed) {
  Launches l;
  l.launching("earlier");
  l.begin_call();
  EXPECT_EQ(l.blame(), "no kernel was launched in this call");
  l.launching("_Z3addPf");
  EXPECT_EQ(l.blame(), "in kernel add(float*), the only one launched in this call");
  l.launching("_Z3addPf");
  EXPECT_EQ(l.blame(), "in kernel add(float*), the only one launched in this call (2 launches)");
}

TEST(DeviceBlame, OneOfSeveralIsNotClaimedToBeTheLast) {
  Launches l;
  for (const char* name : {"a", "b", "a"}) l.launching(name);
  EXPECT_EQ(l.blame(), "in one of the 3 kernels launched in this call, in this order: a, b, a");
  for (int i = 0; i < 10; ++i) l.launching("c" + std::to_string(i));
  EXPECT_EQ(
      l.blame(),
      "in one of the 13 kernels launched in this call, of which the last are, in this order: c2, c3, c4, c5, c6, c7, c8, c9");
  EXPECT_EQ(l.last(), "c9");
}

TEST(DeviceBlame, TheJudgesOwnPoisonIsNoSuspect) {
  Launches l;
  l.launching("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_");
  l.launching("mine");
  EXPECT_EQ(l.blame(), "in kernel mine, the only one launched in this call");
}

TEST(DeviceRefusals, ALaunchThatNeverRanIsNamedWithItsShape) {
  Launches l;
  l.launching("_Z4widePf");
  for (int i = 0; i < 3; ++i) l.refused("_Z4widePf", 1, {{8, 1, 1}, {2048, 1, 1}, 0});
  const json failed = report(l)["failed_launches"];
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0], json::parse(R"j({"name": "wide(float*)", "code": 1, "error": "invalid argument", "grid": [8, 1, 1],
                                        "block": [2048, 1, 1], "shared": 0, "count": 3})j"));
  EXPECT_NE(l.blame().find("the launch of wide(float*) with grid (8, 1, 1), block (2048, 1, 1) and 0 bytes of dynamic shared "
                           "memory was refused: invalid argument"),
            std::string::npos);
  l.begin_call();
  EXPECT_TRUE(report(l)["failed_launches"].empty());
}

TEST(DeviceRefusals, WhatAFaultLeavesBehindIsNoRefusal) {
  Launches l;
  l.refused("next", 700, {});
  l.refused("next", 719, {});
  EXPECT_TRUE(report(l)["failed_launches"].empty());
}

}  // namespace
}  // namespace kbx::device
