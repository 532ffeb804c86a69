// SPDX-License-Identifier: Apache-2.0
#include "pipeline/failure.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace kbx {
namespace {

using wire::FailedAt;
using wire::Role;

std::string outcome_of(const Failure& f) { return outcome_name(f.outcome); }

TEST(FailureOf, ASyntaxErrorIsUnreadableAndNotTheCrashOfAnImport) {
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::import, "SyntaxError", "invalid syntax", "", 3}, "")), "unreadable");
}

TEST(FailureOf, AMissingModuleIsABuildFailure) {
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::import, "ModuleNotFoundError", "No module named 'x'", "", 1}, "")),
            "build_failed");
}

TEST(FailureOf, AnExceptionAtModuleLevelIsACrashWithItsLine) {
  const Failure f = failure_of(Failed{FailedAt::import, "ValueError", "boom", "", 7}, "");
  ASSERT_EQ(outcome_of(f), "crashed");
  EXPECT_EQ(std::get<Crashed>(f.outcome).how, "raised ValueError: boom (line 7) while it was loaded");
}

TEST(FailureOf, AnotherArityIsABuildFailureThatSaysSo) {
  const Failure f = failure_of(Failed{FailedAt::bind, "TypeError", "takes 1 argument, 2 given", "", 0}, "");
  ASSERT_EQ(outcome_of(f), "build_failed");
  EXPECT_EQ(std::get<BuildFailed>(f.outcome).reason, "does not bind: takes 1 argument, 2 given");
}

TEST(FailureOf, WhatTheInterpreterCannotRunIsNotHeldAgainstTheCandidate) {
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::unsupported, "inline asm", "", "", 0}, "c")), "not_judged");
}

TEST(FailureOf, PythonsMemoryErrorIsOutOfMemory) {
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::call, "MemoryError", "", "", 0}, "c")), "out_of_memory");
}

TEST(FailureOf, AFailedAllocationOnTheDeviceIsOutOfMemoryAndAnyOtherErrorIsNot) {
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::call, "RuntimeError", "cudaMalloc: out of memory", "", 0}, "")),
            "out_of_memory");
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::call, "RuntimeError", "cudaMalloc: invalid argument", "", 0}, "")), "crashed");
}

TEST(FailureOf, ALateInterpreterInsideALaunchIsNotJudgedButLateHostCodeIsATimeout) {
  Late late{8, {}};
  late.status.state = 3;
  EXPECT_EQ(outcome_of(failure_of(late, Role::interpret, "c")), "not_judged");
  late.status.state = 2;
  EXPECT_EQ(outcome_of(failure_of(late, Role::interpret, "c")), "timed_out");
}

TEST(FailureOf, ANativeRunnerCannotExcuseItselfWithTheInterpretersState) {
  Late late{10, {}};
  late.status.state = 3;
  EXPECT_EQ(outcome_of(failure_of(late, Role::native, "c")), "timed_out");
}

TEST(FailureOf, ExitZeroInTheMiddleOfACallIsACrash) {
  const Failure f = failure_of(Died{0, 0, false, std::nullopt}, "c");
  ASSERT_EQ(outcome_of(f), "crashed");
  EXPECT_EQ(std::get<Crashed>(f.outcome).how, "exited with status 0");
}

TEST(FailureOf, ADeathAtTheMemoryLimitIsNotASegfault) {
  EXPECT_EQ(outcome_of(failure_of(Died{SIGKILL, 0, true, std::nullopt}, "c")), "out_of_memory");
}

TEST(FailureOf, ASegfaultNamesSignalAndAddress) {
  const Failure f = failure_of(Died{SIGSEGV, 0, false, Fault{SIGSEGV, true, 0x1000, 2, 16}}, "c");
  const std::string how = std::get<Crashed>(f.outcome).how;
  EXPECT_NE(how.find("SIGSEGV"), std::string::npos);
  EXPECT_NE(how.find("write at address 0x1000"), std::string::npos);
  EXPECT_FALSE(f.diagnosis.empty());
}

// Faults of a GPU: what a runner sends of them.
Failed device_error(std::string message, FailedAt at = FailedAt::call) { return {at, "cuda error", std::move(message), "", 12}; }

TEST(FailureOfADevice, AnIllegalAddressIsACrashThatNamesItsKernel) {
  const Failure f = failure_of(device_error("CUDA error: an illegal memory access was encountered\nin kernel reads_far, the only "
                                            "one launched in this call"),
                               "c");
  ASSERT_EQ(outcome_of(f), "crashed");
  EXPECT_EQ(
      std::get<Crashed>(f.outcome).how,
      "CUDA error: an illegal memory access was encountered, in kernel reads_far, the only one launched in this call (line 12)");
  ASSERT_EQ(f.diagnosis.size(), 1u);
  EXPECT_EQ(f.diagnosis[0].pattern, "illegal_address");
}

TEST(FailureOfADevice, WantOfDeviceMemoryIsNoCrash) {
  EXPECT_EQ(outcome_of(failure_of(device_error("the kernel failed: out of memory"), "c")), "out_of_memory");
}

TEST(FailureOfADevice, AnExceptionWithWordsOfCudaFromNativeCodeCountsWhereALaunchWasRefused) {
  const Failure f =
      failure_of(Failed{FailedAt::call, "RuntimeError",
                        "launch failed: invalid argument\nin kernel k, the only one launched in this call; the launch "
                        "of k with grid (1, 1, 1), block (2048, 1, 1) and 0 bytes of dynamic shared memory was "
                        "refused: invalid argument",
                        "", 0},
                 "c");
  ASSERT_EQ(outcome_of(f), "crashed");
  EXPECT_EQ(f.diagnosis.at(0).pattern, "invalid_launch");
}

TEST(FailureOfADevice, TheCandidatesOwnWordsOnAddressesAreNoFault) {
  const Failure f = failure_of(Failed{FailedAt::call, "ValueError", "misaligned address not supported", "", 3}, "c");
  EXPECT_TRUE(f.diagnosis.empty());
}

TEST(FailureOfADevice, ABrokenContextCannotBePassedOffAsTroubleOfTheJudges) {
  EXPECT_EQ(outcome_of(failure_of(
                Failed{FailedAt::unsupported, "attach", "cuMemMap: an illegal memory access was encountered", "", 0}, "c")),
            "crashed");
  EXPECT_EQ(outcome_of(failure_of(Failed{FailedAt::unsupported, "attach", "cuMemMap: out of memory", "", 0}, "c")), "not_judged");
}

TEST(FailureOfADevice, AKernelThatDoesNotEndIsNamed) {
  Late late{8, {}};
  late.status.state = 4;
  late.status.launches = 1;
  std::snprintf(late.status.kernel, sizeof late.status.kernel, "spins(float*)");
  for (Role role : {Role::cuda, Role::native}) {
    const Failure f = failure_of(late, role, "c");
    ASSERT_EQ(outcome_of(f), "timed_out");
    EXPECT_EQ(f.diagnosis.at(0).pattern, "endless_kernel");
    EXPECT_NE(f.diagnosis.at(0).evidence.find("spins(float*)"), std::string::npos);
  }
}

TEST(FailureOfADevice, AHostileStatusPageIsReadWithinItsBounds) {
  Late late{8, {}};
  std::memset(late.status.kernel, '\n', sizeof late.status.kernel);
  EXPECT_EQ(failure_of(late, Role::cuda, "c").diagnosis.at(0).evidence.find('\n'), std::string::npos);
}

TEST(FailureOf, AForgedMessageIsDishonest) {
  EXPECT_EQ(outcome_of(failure_of(Broken{"an unexpected message"}, "c")), "dishonest");
}

}  // namespace
}  // namespace kbx
