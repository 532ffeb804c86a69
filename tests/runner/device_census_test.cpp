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

template <typename Function>
Function* of_fake(const char* name) {
  return reinterpret_cast<Function*>(dlsym(fake(), name));
}

// A record of that kind, and the clock that the calls of a trace are marked by.
void ran(CUpti_ActivityKind kind, uint64_t start, uint64_t end) {
  of_fake<void(CUpti_ActivityKind, uint64_t, uint64_t)>("fake_ran")(kind, start, end);
}
void kernel_ran(uint64_t start, uint64_t end) { ran(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, start, end); }
void trace_call_at(uint64_t now) {
  of_fake<void(uint64_t)>("fake_now")(now);
  kbx_census_trace_call();
}
int switches() { return of_fake<int()>("fake_switches")(); }

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
    kbx_census_resume();
    kbx_census_mark();
  }

  static void begin_trace() {
    char error[256] = "";
    ASSERT_EQ(kbx_census_trace_begin(error, sizeof error), 0) << error;
  }
  // The times of that many calls; none where it failed, and why.
  static std::vector<uint64_t> end_trace(size_t calls, std::string* why = nullptr) {
    std::vector<uint64_t> ns(calls, 77);
    char error[256] = "";
    if (kbx_census_trace_end(ns.data(), calls, error, sizeof error) == 0) return ns;
    if (why != nullptr) *why = error;
    return {};
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

using Times = std::vector<uint64_t>;

TEST_F(DeviceCensus, EachCallOfATraceGetsTheTimeOfItsKernelsCopiesAndFills) {
  begin_trace();
  trace_call_at(1000);
  kernel_ran(1100, 1150);
  ran(CUPTI_ACTIVITY_KIND_MEMCPY, 1160, 1165);
  trace_call_at(2000);
  ran(CUPTI_ACTIVITY_KIND_MEMSET, 2100, 2107);
  trace_call_at(3000);
  EXPECT_EQ(end_trace(3), Times({55, 7, 0}));
}

TEST_F(DeviceCensus, WhatRanBeforeATraceIsNoPartOfIt) {
  begin_trace();
  trace_call_at(1000);
  kernel_ran(1100, 1150);
  begin_trace();  // the first did not come to its end: a call failed
  trace_call_at(1050);
  kernel_ran(1200, 1203);
  EXPECT_EQ(end_trace(1), Times({3}));
  EXPECT_EQ(end_trace(1), Times());  // ended
}

TEST_F(DeviceCensus, ATraceThatLostRecordsHasNoTimes) {
  for (const bool dropped : {true, false}) {
    begin_trace();
    trace_call_at(1000);
    kernel_ran(1100, 1150);
    if (dropped)
      of_fake<void(size_t)>("fake_loss")(1);
    else
      kernel_ran(0, 0);  // CUPTI does not know when
    std::string why;
    EXPECT_EQ(end_trace(1, &why), Times());
    EXPECT_EQ(why, "1 records were lost");
  }
}

TEST_F(DeviceCensus, APausedCensusSeesNothingAndSaysSo) {
  const uint64_t before = collect(true)["launched"];
  driver_launch("seen");
  kbx_census_pause();
  driver_launch("unseen");
  runtime_launch("unseen", true);
  ran("unseen", 700, 7);
  ran(CUPTI_ACTIVITY_KIND_MEMCPY, 100, 200);
  EXPECT_EQ(blame(), "in which kernel is not known: these calls were not watched");
  const json report = collect(true);
  EXPECT_EQ(report["launched"], before + 1);
  for (const json& k : report["kernels"]) EXPECT_NE(k["name"], "unseen");
  kbx_census_resume();
  driver_launch("seen again");
  EXPECT_EQ(blame(), "in kernel seen again, the only one launched in this call");
}

TEST_F(DeviceCensus, ATraceResumesAndNamesTheKernelsOfItsLastCall) {
  kbx_census_pause();
  begin_trace();
  trace_call_at(1000);
  driver_launch("first");
  trace_call_at(2000);
  driver_launch("second");
  kernel_ran(2100, 2110);
  EXPECT_EQ(blame(), "in kernel second, the only one launched in this call");
  EXPECT_EQ(end_trace(2), Times({0, 10}));
}

TEST_F(DeviceCensus, CuptiIsLeftAloneWhereItAlreadyIsAsAsked) {
  kbx_census_pause();
  const int once = switches();
  kbx_census_pause();
  EXPECT_EQ(switches(), once);
  begin_trace();
  const int traced = switches();
  EXPECT_GT(traced, once);
  begin_trace();
  kbx_census_resume();
  EXPECT_EQ(switches(), traced);
  end_trace(0);
}

TEST_F(DeviceCensus, CopiesAreRecordedOnlyForTraces) {
  kbx_census_pause();
  kbx_census_resume();
  begin_trace();
  end_trace(0);
  kbx_census_pause();
  const int with_copies = switches();
  kbx_census_resume();
  kbx_census_pause();
  // A trace had switched on, and the pause off, two kinds more than resume and pause alone.
  const int without = switches() - with_copies;
  begin_trace();
  end_trace(0);
  kbx_census_pause();
  EXPECT_EQ(switches() - with_copies - without, without + 4);
}

}  // namespace
}  // namespace kbx
