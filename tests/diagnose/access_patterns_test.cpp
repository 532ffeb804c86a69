// SPDX-License-Identifier: Apache-2.0
#include "diagnose/access_patterns.h"

#include <gtest/gtest.h>

#include <csignal>

namespace kbx {
namespace {

TEST(AccessPatterns, AnInterpretedAccessNamesLineBufferAndDistance) {
  BadAccess access;
  access.kernel = "add_kernel";
  access.file = "candidate.py";
  access.line = 67;
  access.write = true;
  access.buffer = "out";
  access.distance = 16;
  access.count = 56;
  access.program = "(3, 0, 0)";
  const std::vector<Diagnosis> found = diagnose_accesses({access});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pattern, "out_of_bounds");
  EXPECT_EQ(found[0].evidence,
            "candidate.py:67 in add_kernel: store of 56 elements outside the buffers, 16 bytes behind the end of out, program "
            "(3, 0, 0)");
}

TEST(AccessPatterns, RedZonesOnBothSides) {
  EXPECT_EQ(diagnose_red_zone("result", 0).evidence, "the memory 0 bytes behind the end of result was written");
  EXPECT_EQ(diagnose_red_zone("input", -4).evidence, "the memory 4 bytes before the start of input was written");
}

struct Row {
  const char* name;
  FatalSignal signal;
  const char* pattern;
};

TEST(AccessPatterns, SignalsAreToldApart) {
  const std::vector<Row> rows{
      {"behind a buffer", {SIGSEGV, true, 0x7f0000001000, "out", 0}, "out_of_bounds"},
      {"far from the nearest buffer", {SIGSEGV, false, 0x7f0000001000, "out", int64_t{1} << 40}, "segfault"},
      {"near nothing", {SIGSEGV, false, 0xdeadbeef000, "", 0}, "segfault"},
      {"null", {SIGSEGV, true, 8, "", 0}, "null_pointer"},
      {"unknown address", {SIGSEGV, false, std::nullopt, "", 0}, "segfault"},
      {"illegal instruction", {SIGILL, false, std::nullopt, "", 0}, "illegal_instruction"},
      {"integer division", {SIGFPE, false, std::nullopt, "", 0}, "division_by_zero"},
      {"abort", {SIGABRT, false, std::nullopt, "", 0}, "aborted"},
      {"kill", {SIGKILL, false, std::nullopt, "", 0}, "killed"},
  };
  for (const Row& row : rows) EXPECT_EQ(diagnose_signal(row.signal)[0].pattern, row.pattern) << row.name;
}

TEST(AccessPatterns, AddressZeroMayBeAMisalignedVector) {
  const std::vector<Diagnosis> found = diagnose_signal({SIGSEGV, false, 0, "", 0});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].pattern, "misaligned");
}

}  // namespace
}  // namespace kbx
