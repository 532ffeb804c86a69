// SPDX-License-Identifier: Apache-2.0
// The census library against a CUPTI of the test's own. Its state belongs to the process: each test begins with a mark.
#include "device/census.h"

#include <cupti.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "protocol/wire.h"

namespace kbx {
namespace {

using nlohmann::json;

void* fake() {
  static void* library = dlopen(KBX_FAKE_CUPTI, RTLD_NOW);
  return library;
}

void call(bool runtime, uint32_t id, bool leaving, const char* symbol, const void* params = nullptr, int code = 0) {
  const auto function = reinterpret_cast<void (*)(int, uint32_t, int, const char*, const void*, int)>(dlsym(fake(), "fake_call"));
  function(runtime, id, leaving, symbol, params, code);
}

void ran(const char* name, uint64_t nanoseconds, uint32_t stream) {
  reinterpret_cast<void (*)(const char*, uint64_t, uint32_t)>(dlsym(fake(), "fake_kernel"))(name, nanoseconds, stream);
}

constexpr uint32_t kDriver = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
constexpr uint32_t kRuntime = CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000;

// As Triton launches, and as <<<>>> does.
void driver_launch(const char* symbol, const cuLaunchKernel_params& params = {}, int code = 0) {
  call(false, kDriver, false, symbol, &params);
  call(false, kDriver, true, symbol, &params, code);
}
void runtime_launch(const char* symbol, bool reaches_driver, const cudaLaunchKernel_v7000_params& params = {}, int code = 0) {
  call(true, kRuntime, false, symbol, &params);
  if (reaches_driver) driver_launch(symbol, {}, code);
  call(true, kRuntime, true, symbol, &params, code);
}

json collect(bool flush) {
  std::string text(60000, ' ');
  text.resize(kbx_census_collect(flush, text.data(), text.size()));
  return json::parse(text);
}

std::string blame() {
  char text[4096];
  kbx_census_blame(text, sizeof text);
  return text;
}

class DeviceCensus : public testing::Test {
 protected:
  void SetUp() override {
    char error[256] = "";
    ASSERT_NE(fake(), nullptr) << dlerror();
    ASSERT_EQ(kbx_census_start(KBX_FAKE_CUPTI, error, sizeof error), 0) << error;
    kbx_census_mark();
  }
};

TEST_F(DeviceCensus, ALaunchThroughTheRuntimeIsNotCountedTwice) {
  const uint64_t before = collect(false)["launched"];
  runtime_launch("_Z3addPf", true);
  EXPECT_EQ(collect(false)["launched"], before + 1);
  EXPECT_EQ(blame(), "in kernel add(float*), the only one launched in this call");
  driver_launch("triton_made");
  EXPECT_EQ(collect(false)["launched"], before + 2);
}

TEST_F(DeviceCensus, WhatTheRuntimeRefusesByItselfIsSeen) {
  cudaLaunchKernel_v7000_params params{};
  params.gridDim = {8, 1, 1};
  params.blockDim = {2048, 1, 1};
  params.sharedMem = 4;
  runtime_launch("wide", false, params, 9);
  const json failed = collect(false)["failed_launches"];
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0]["block"], json::parse("[2048, 1, 1]"));
  EXPECT_EQ(failed[0]["grid"], json::parse("[8, 1, 1]"));
  EXPECT_EQ(failed[0]["shared"], 4);
  EXPECT_EQ(failed[0]["error"], "invalid configuration argument");
}

TEST_F(DeviceCensus, ARefusalByTheDriverWithinTheRuntimeIsOneRefusal) {
  runtime_launch("k", true, {}, 701);
  const json failed = collect(false)["failed_launches"];
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0]["count"], 1);
  kbx_census_mark();
  cuLaunchKernel_params params{};
  params.gridDimX = 3;
  params.blockDimZ = 5;
  params.sharedMemBytes = 300000;
  driver_launch("k", params, 1);
  EXPECT_EQ(collect(false)["failed_launches"][0]["shared"], 300000);
  EXPECT_EQ(collect(false)["failed_launches"][0]["block"][2], 5);
}

TEST_F(DeviceCensus, RecordsArriveByAFlushAndOnlyByOne) {
  ran("timed", 700, 7);
  ran("timed", 300, 13);
  const auto timed = [](const json& report) {
    for (const json& k : report["kernels"])
      if (k["name"] == "timed") return k;
    return json();
  };
  EXPECT_TRUE(timed(collect(false)).is_null());
  EXPECT_EQ(timed(collect(true)), json::parse(R"({"name": "timed", "launches": 2, "nanoseconds": 1000, "registers": 40,
                                                  "shared": 128, "streams": 2})"));
}

TEST_F(DeviceCensus, AnEndlessKernelsNameIsOnThePageBeforeItsLaunchReturns) {
  wire::StatusPage page{};
  kbx_census_watch(&page);
  driver_launch("first");
  call(false, kDriver, false, "_Z5spinsPf");
  EXPECT_STREQ(page.kernel, "spins(float*)");
  EXPECT_EQ(page.launches, 2u);
  call(false, kDriver, true, "_Z5spinsPf");
  kbx_census_mark();
  EXPECT_STREQ(page.kernel, "");
  EXPECT_EQ(page.launches, 0u);
  kbx_census_watch(nullptr);
}

TEST_F(DeviceCensus, ABufferThatIsTooSmallIsNotWrittenTo) {
  char one = 'x';
  EXPECT_GT(kbx_census_collect(0, &one, 1), 1u);
  EXPECT_EQ(one, 'x');
  char text[8];
  EXPECT_EQ(kbx_census_blame(text, sizeof text), 7u);
  EXPECT_EQ(text[7], '\0');
}

}  // namespace
}  // namespace kbx
