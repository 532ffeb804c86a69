// SPDX-License-Identifier: Apache-2.0
// Reports in the words of compute-sanitizer of CUDA 13 (its manual's examples, and what it printed on an H200).
#include "diagnose/sanitizer_report.h"

#include <gtest/gtest.h>

namespace kbx {
namespace {

constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at oob(float *, int)+0x80 in oob.cu:3
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x7fb2c8800190 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7fb2c8800000 of size 400 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0x8d22] in oob
=========
========= Invalid __global__ write of size 4 bytes
=========     at oob(float *, int)+0x80 in oob.cu:3
=========     by thread (1,0,0) in block (0,0,0)
=========     Access to 0x7fb2c8800194 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7fb2c8800000 of size 400 bytes
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaDeviceSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========
========= ERROR SUMMARY: 34 errors
)";

TEST(SanitizerReport, ManyThreadsOfOneLineAreOneFinding) {
  const auto findings = parse_sanitizer_report(kMemcheck);
  ASSERT_EQ(findings.size(), 1u);
  const SanitizerFinding& f = findings.front();
  EXPECT_EQ(f.kind, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(f.kernel, "oob(float *, int)");
  EXPECT_EQ(f.file, "oob.cu");
  EXPECT_EQ(f.line, 3);
  EXPECT_EQ(f.thread, "(0,0,0)");
  EXPECT_EQ(f.block, "(0,0,0)");
  EXPECT_EQ(f.reports, 2u);
}

TEST(SanitizerReport, EvidenceNamesKernelAndLineAndNoFrameOfTheHost) {
  const Diagnosis d = diagnose_finding("memcheck", parse_sanitizer_report(kMemcheck).front());
  EXPECT_EQ(d.pattern, "sanitizer_memcheck");
  EXPECT_EQ(d.evidence,
            "Invalid __global__ write of size 4 bytes in oob(float *, int) at oob.cu:3, thread (0,0,0), block (0,0,0); "
            "Access to 0x7fb2c8800190 is out of bounds and is 1 bytes after the nearest allocation at 0x7fb2c8800000 of size 400 "
            "bytes; 2 reports of this");
}

TEST(SanitizerReport, ARaceNamesBothPlaces) {
  const auto findings = parse_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at sums(int *)+0x90 in probe.cu:13\n"
      "=========     and Read access at sums(int *)+0xa0 in probe.cu:14 [2048 hazards]\n"
      "=========     and Write access at sums(int *)+0xb0 in probe.cu:15 [16 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  ASSERT_EQ(findings.size(), 1u);
  const Diagnosis d = diagnose_finding("racecheck", findings.front());
  EXPECT_EQ(d.pattern, "sanitizer_racecheck");
  EXPECT_EQ(d.evidence,
            "Race between a Write access in sums(int *) at probe.cu:13; with a Read access at probe.cu:14 [2048 hazards], "
            "Write access at probe.cu:15 [16 hazards]");
}

TEST(SanitizerReport, AWarningIsOnlyPossiblyARace) {
  const auto findings = parse_sanitizer_report(
      "========= Warning: Race reported between Write access at k+0x90\n=========     and Read access at k+0xa0\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "Possible race between a Write access");
  EXPECT_EQ(findings[0].kernel, "k");
  EXPECT_EQ(findings[0].line, 0);
}

TEST(SanitizerReport, UninitialisedReadsOfAKernelButNotCopiesOfTheHost) {
  const auto findings = parse_sanitizer_report(R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at vectorAdd(int *)+0x70 in /box/source/memset_error.cu:41
=========     by thread (31,0,0) in block (1,0,0)
=========     Access to 0x7f3c7ec000fc
=========
========= Host API memory access error at host access to 0x7f3c7ec00000 of size 64 bytes
=========     Uninitialized access at 0x7f3c7ec00000 on access by cudaMemcpy source
=========
========= ERROR SUMMARY: 2 errors
)");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "Uninitialized __global__ memory read of size 4 bytes");
  EXPECT_EQ(findings[0].file, "/box/source/memset_error.cu");
  EXPECT_EQ(findings[0].line, 41);
}

TEST(SanitizerReport, TwoLinesOfOneKernelAreTwoFindings) {
  const auto findings = parse_sanitizer_report(R"(========= Barrier error detected. Divergent thread(s) in warp.
=========     at half_syncs(int *)+0xa0 in debug.cu:61
=========     by thread (19,0,0) in block (0,0,0)
=========
========= Barrier error detected. Divergent thread(s) in block.
=========     at half_syncs(int *)+0xc0 in debug.cu:70
=========     by thread (63,0,0) in block (2,0,0)
)");
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].line, 61);
  EXPECT_EQ(findings[1].line, 70);
  EXPECT_EQ(findings[1].block, "(2,0,0)");
}

// Triton's kernels have plain names.
TEST(SanitizerReport, AKernelWithoutArgumentsInItsName) {
  const auto findings = parse_sanitizer_report(
      "========= Invalid __global__ read of size 16 bytes\n=========     at reads_far+0x1b0 in kernel.py:14\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kernel, "reads_far");
  EXPECT_EQ(findings[0].file, "kernel.py");
}

TEST(SanitizerReport, ALineThatTheCandidateDidNotFinishHidesNothing) {
  EXPECT_EQ(
      parse_sanitizer_report("no newline========= Invalid __shared__ read of size 4 bytes\n=========     at k+0x10 in a.cu:1\n")
          .size(),
      1u);
}

TEST(SanitizerReport, AnyBytesAndEndlessLinesAreNoFindings) {
  EXPECT_TRUE(parse_sanitizer_report("========= " + std::string(1 << 16, 'a') + "\n=========     at \xff\xfe\n").empty());
  EXPECT_TRUE(parse_sanitizer_report("=========     at k+0x10 in a.cu:1\n").empty());
  EXPECT_TRUE(parse_sanitizer_report("").empty());
}

TEST(SanitizerReport, OnlyASummaryAfterUseOfCudaIsTheEnd) {
  EXPECT_TRUE(sanitizer_finished(kMemcheck));
  EXPECT_TRUE(sanitizer_finished("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"));
  EXPECT_FALSE(sanitizer_finished("========= COMPUTE-SANITIZER\n"));
  EXPECT_FALSE(sanitizer_finished(
      "========= Error: Target application terminated before first instrumented API call\n========= ERROR SUMMARY: 1 error\n"));
}

}  // namespace
}  // namespace kbx
