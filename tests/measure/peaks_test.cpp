// SPDX-License-Identifier: Apache-2.0
#include "measure/peaks.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "measure/products.h"
#include "measure/stopwatch.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

TEST(StopwatchTest, MakesEachCallOfEachRepetitionInOrder) {
  Stopwatch watch(at::kCPU);
  std::vector<int> calls;
  EXPECT_EQ(watch.times(2, 3, [&](int i) { calls.push_back(i); }).size(), 2u);
  EXPECT_EQ(calls, (std::vector<int>{0, 1, 2, 0, 1, 2}));
}

TEST(ProductRate, LeavesTheUseOfTf32AsItWas) {
  Stopwatch watch(at::kCPU);
  for (const bool allowed : {false, true}) {
    at::globalContext().setAllowTF32CuBLAS(allowed);
    EXPECT_GT(product_rate("tf32", 64, at::kCPU, 0.001, watch).value_or(0), 0);
    EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), allowed);
  }
  at::globalContext().setAllowTF32CuBLAS(false);
}

TEST(ProductRate, IsNothingForAnAbsentDevice) {
  Stopwatch watch(at::kCPU);
  EXPECT_FALSE(product_rate("fp32", 64, at::Device(at::kMeta), 0.001, watch));
}

TEST(MeasurePeaks, OfAnAbsentDeviceIsAnError) {
  const auto measured = measure_peaks(at::Device(at::kXPU, 0), 1, Effort::quick);
  ASSERT_FALSE(measured);
  EXPECT_NE(measured.error().message.find("xpu:0"), std::string::npos) << measured.error().message;
}

TEST(DeviceName, OfTheCpuTellsTheThreads) {
  EXPECT_TRUE(device_name(at::kCPU, 1).ends_with(", 1 thread"));
  EXPECT_TRUE(device_name(at::kCPU, 2).ends_with(", 2 threads"));
}

// Measures once, some seconds: that is what it is for.
TEST(ProfileOf, MeasuresOnceAndKeepsIt) {
  std::string name = (fs::temp_directory_path() / "kbx-peaks-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  ::setenv("XDG_DATA_HOME", folder.c_str(), 1);
  at::set_num_threads(2);
  const at::Generator random = at::globalContext().defaultGenerator(at::kCPU).clone();
  const auto first = profile_of(at::kCPU, 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(at::get_num_threads(), 2);
  EXPECT_TRUE(random.get_state().equal(at::globalContext().defaultGenerator(at::kCPU).get_state()));
  EXPECT_EQ(first->device, device_name(at::kCPU, 1));
  EXPECT_FALSE(first->gpu);
  EXPECT_TRUE(first->noise.empty());
  ASSERT_FALSE(first->bandwidth.empty());
  EXPECT_EQ(first->bandwidth.front().bytes, 64 << 10);
  EXPECT_EQ(first->bandwidth.back().bytes, 64 << 20);
  EXPECT_GT(first->matrix.at("fp32"), 0);
  EXPECT_GT(first->matrix.at("fp64"), 0);
  EXPECT_EQ(first->vector, first->matrix.at("fp32"));
  // Ascending footprints and positive numbers: read_profile() accepts nothing else.
  const auto stored = read_profile(profile_path(first->device));
  ASSERT_TRUE(stored && *stored) << stored.error().message;
  EXPECT_EQ(to_json(*profile_of(at::kCPU, 1)), to_json(*first));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace kbx
