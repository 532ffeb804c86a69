// SPDX-License-Identifier: Apache-2.0
#include "diagnose/device_faults.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

std::string pattern_of(std::string_view message) {
  const auto fault = diagnose_device_fault(message);
  return fault ? fault->pattern : "";
}

// Words of CUDA 13's error strings, of torch 2.11 and Triton 3.6.
TEST(DeviceFault, EachKindOfFaultHasItsPattern) {
  EXPECT_EQ(pattern_of("CUDA error: an illegal memory access was encountered"), "illegal_address");
  EXPECT_EQ(pattern_of("the kernel failed: misaligned address\nin kernel k, the only one launched in this call"),
            "misaligned_address");
  EXPECT_EQ(pattern_of("CUDA error: device-side assert triggered"), "device_assert");
  EXPECT_EQ(pattern_of("Triton Error [CUDA]: out of memory"), "out_of_memory");
  EXPECT_EQ(pattern_of("out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or "
                       "`num_stages` may help.\nin kernel k"),
            "shared_memory");
  EXPECT_EQ(pattern_of("out of resource: threads, Required: 2048, Hardware limit: 1024."), "invalid_launch");
  EXPECT_EQ(pattern_of("CUDA error: invalid configuration argument"), "invalid_launch");
  EXPECT_EQ(pattern_of("CUDA error: too many resources requested for launch"), "invalid_launch");
  EXPECT_EQ(pattern_of("the kernel failed: unspecified launch failure"), "launch_failure");
  EXPECT_EQ(pattern_of("the kernel failed: the launch timed out and was terminated"), "launch_timeout");
  EXPECT_EQ(pattern_of("the kernel failed: an illegal instruction was encountered"), "launch_failure");
  EXPECT_EQ(pattern_of("initialization error"), "");
}

TEST(DeviceFault, TheFaultComesBeforeARefusedLaunchThatIsNamedBesideIt) {
  EXPECT_EQ(pattern_of("the kernel failed: an illegal memory access was encountered\nin kernel a, the only one launched in this "
                       "call; the launch of b with grid (1, 1, 1), block (1, 1, 1) and 0 bytes of dynamic shared memory was "
                       "refused: out of memory"),
            "illegal_address");
}

TEST(DeviceFault, ARefusedLaunchWithMuchSharedMemoryIsNotJustAnInvalidArgument) {
  const char* kRefused =
      "launch failed\nin kernel k, the only one launched in this call; the launch of k with grid (1, 1, 1), block (32, 1, 1) and "
      "{} bytes of dynamic shared memory was refused: invalid argument";
  const auto with = [&](const char* bytes) { return std::string(kRefused).replace(std::string(kRefused).find("{}"), 2, bytes); };
  EXPECT_EQ(pattern_of(with("131072")), "shared_memory");
  EXPECT_EQ(pattern_of(with("1024")), "invalid_launch");
}

TEST(DeviceFault, TheEvidenceNamesTheKernelInOneLine) {
  const auto fault = diagnose_device_fault(
      "CUDA error: an illegal memory access was encountered\nin kernel reads_far, the only one launched in this call");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->evidence,
            "CUDA error: an illegal memory access was encountered, in kernel reads_far, the only one launched in this call");
}

TEST(DeviceFault, AStickyErrorIsNotBlamedOnACallThatLaunchedNothing) {
  const auto fault =
      diagnose_device_fault("CUDA error: an illegal memory access was encountered\nno kernel was launched in this call");
  EXPECT_NE(fault->evidence.find("an earlier launch left behind"), std::string::npos);
}

TEST(DeviceFault, AnInputThatIsReadOnlyIsMentionedWhereAStoreIntoItFails) {
  EXPECT_NE(diagnose_device_fault("an illegal memory access was encountered")->advice.find("read-only"), std::string::npos);
}

TEST(DeviceFault, OnlyFaultsThatBreakTheContextDo) {
  EXPECT_TRUE(breaks_context("illegal_address"));
  EXPECT_FALSE(breaks_context("out_of_memory"));
  EXPECT_FALSE(breaks_context("invalid_launch"));
}

TEST(DeviceAssert, FileLineAndExpressionAreQuotedFromWhatTheDevicePrinted) {
  Diagnosis fault = *diagnose_device_fault("CUDA error: device-side assert triggered");
  quote_assertion(
      fault,
      "hello\n/tmp/kbx/add.cu:12: void asserts_order(const float *, int): block: [0,0,0], thread: [31,0,0] Assertion `x[i] < "
      "n` failed.\n/tmp/kbx/add.cu:12: void asserts_order(const float *, int): block: [1,0,0], thread: [0,0,0] Assertion "
      "`x[i] < n` failed.\n");
  EXPECT_EQ(fault.evidence.substr(0, fault.evidence.find(';')),
            "add.cu:12: assertion `x[i] < n` failed in void asserts_order(const float *, int), block [0,0,0], thread [31,0,0]");
}

TEST(DeviceAssert, OtherFaultsQuoteNothingThatACandidatePrints) {
  Diagnosis fault = *diagnose_device_fault("misaligned address");
  quote_assertion(fault, "a.py:1: k: block: [0,0,0], thread: [0,0,0] Assertion `lie` failed.");
  EXPECT_EQ(fault.evidence, "misaligned address");
}

TEST(RefusedLaunch, TheReasonIsDerivedFromTheShape) {
  RefusedLaunch launch{"k", "invalid argument", {1, 1, 1}, {2048, 1, 1}, 0, 1};
  EXPECT_NE(diagnose_refused_launch(launch).evidence.find("at most 1024 threads"), std::string::npos);
  launch = {"k", "invalid argument", {1, 1, 1}, {32, 1, 1}, 200000, 1};
  EXPECT_EQ(diagnose_refused_launch(launch).pattern, "shared_memory");
  launch = {"k", "invalid configuration argument", {0, 1, 1}, {32, 1, 1}, 0, 4};
  EXPECT_EQ(diagnose_refused_launch(launch).pattern, "invalid_launch");
  EXPECT_NE(diagnose_refused_launch(launch).evidence.find("zero"), std::string::npos);
  EXPECT_NE(diagnose_refused_launch(launch).evidence.find("4 times"), std::string::npos);
}

TEST(EndlessKernel, ALoopInHostCodeIsNotCalledAnEndlessKernel) {
  EXPECT_EQ(diagnose_endless_kernel(8, "spins", 1, true).pattern, "endless_kernel");
  EXPECT_EQ(diagnose_endless_kernel(8, "spins", 1, false).pattern, "timeout");
  EXPECT_NE(diagnose_endless_kernel(8, "spins", 3, false).evidence.find("spins"), std::string::npos);
}

}  // namespace
}  // namespace kbx
