// SPDX-License-Identifier: Apache-2.0
// Reports as ncu 2025 writes them with --csv --page raw, numbers and names changed.
#include "measure/ncu_report.h"

#include <gmock/gmock.h>

namespace kbx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kNames =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",)"
    R"("dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum",)"
    R"("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active","sm__warps_active.avg.pct_of_peak_sustained_active")"
    "\n";
const std::string kUnits = R"("","","","","","","","","","","","byte","byte","ns","%","%")"
                           "\n";

// `rest`: the five values, each in quotes.
std::string row(int id, const std::string& kernel, const std::string& rest) {
  return "\"" + std::to_string(id) + "\",\"4242\",\"python3.12\",\"127.0.0.1\",\"" + kernel +
         "\",\"1\",\"7\",\"(128, 1, 1)\",\"(4096, 1, 1)\",\"0\",\"9.0\"," + rest + "\n";
}

const std::string kReport =
    "==PROF== Connected to process 4242 (/usr/bin/python3.12)\n"
    "==PROF== Profiling \"copy\": 0%....50%....100% - 2 passes\n" +
    kNames + kUnits + row(0, "void copy<(int)4, float>(const T2 *, T2 *)", R"("134217728","100000000","60000","0","75.5")") +
    row(1, R"(gemm[""tile"", 2])", R"("1000000","0","20000","40","25.5")") + "==PROF== Disconnected from process 4242\n";

// Names of kernels hold commas and quotes, which shift the columns of whoever splits at commas.
TEST(NcuReport, EachRowIsALaunch) {
  const auto kernels = parse_ncu_report(kReport);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  ASSERT_EQ(kernels->size(), 2u);
  const CountedKernel &copy = (*kernels)[0], &gemm = (*kernels)[1];
  EXPECT_EQ(copy.name, "void copy<(int)4, float>(const T2 *, T2 *)");
  EXPECT_EQ(gemm.name, R"(gemm["tile", 2])");
  EXPECT_EQ(copy.dram_bytes, 234217728);
  EXPECT_DOUBLE_EQ(copy.seconds, 60e-6);
  EXPECT_DOUBLE_EQ(copy.occupancy, 0.755);
  EXPECT_EQ(copy.tensor_cores, 0);
  EXPECT_DOUBLE_EQ(gemm.tensor_cores, 0.4);
}

TEST(NcuReport, SharesOfACallAreThoseOfItsTimeAndBytesItsSum) {
  const auto kernels = parse_ncu_report(kReport);
  ASSERT_TRUE(kernels.ok());
  const Counters all = sum_up(*kernels);
  EXPECT_EQ(all.dram_bytes, 235217728);
  EXPECT_DOUBLE_EQ(all.occupancy, (60 * 0.755 + 20 * 0.255) / 80);
  EXPECT_DOUBLE_EQ(all.tensor_cores, 20 * 0.4 / 80);
}

// Taken for bytes and nanoseconds, numbers in other units are wrong by powers of ten.
TEST(NcuReport, ScaledUnitsAndSeparatorsOfThousandsAreRead) {
  const std::string values = R"("134.25","1,024.50","1,060.25","0.10","50")";
  const std::pair<const char*, double> times[] = {{"ns", 1e-9},      {"us", 1e-6},      {"ms", 1e-3},     {"s", 1},
                                                  {"nsecond", 1e-9}, {"usecond", 1e-6}, {"msecond", 1e-3}};
  for (const auto& [unit, scale] : times) {
    const std::string units = R"("","","","","","","","","","","","Mbyte","Kbyte",")" + std::string(unit) + "\",\"%\",\"%\"\r\n";
    const auto kernels = parse_ncu_report(kNames + units + row(0, "k", values));
    ASSERT_TRUE(kernels.ok()) << kernels.error().text();
    EXPECT_DOUBLE_EQ(kernels->front().dram_bytes, 134.25e6 + 1024.5e3);
    EXPECT_DOUBLE_EQ(kernels->front().seconds, 1060.25 * scale);
    EXPECT_DOUBLE_EQ(kernels->front().tensor_cores, 0.001);
  }
}

TEST(NcuReport, ATableOfASecondProcessIsReadByItsOwnNames) {
  const std::string reordered =
      R"("ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum",)"
      R"("sm__warps_active.avg.pct_of_peak_sustained_active","sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active")"
      "\n"
      R"("","","ns","byte","byte","%","%")"
      "\n"
      R"("0","k","7","1","2","30","40")"
      "\n";
  const auto kernels = parse_ncu_report(kReport + reordered);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  ASSERT_EQ(kernels->size(), 3u);
  EXPECT_EQ((*kernels)[2].dram_bytes, 3);
  EXPECT_DOUBLE_EQ((*kernels)[2].occupancy, 0.3);
}

// A counter that could not be read is no zero.
TEST(NcuReport, WhatIsNoNumberIsAnErrorThatNamesTheCounter) {
  for (const char* word : {"n/a", "", "nan"}) {
    const auto kernels = parse_ncu_report(kNames + kUnits + row(0, "k", R"("1","2","3",")" + std::string(word) + R"(","5")"));
    ASSERT_FALSE(kernels.ok()) << word;
    EXPECT_THAT(kernels.error().message, HasSubstr("sm__pipe_tensor_cycles_active"));
  }
  EXPECT_FALSE(parse_ncu_report(kNames + row(0, "k", R"("1","2","3","4","5")")).ok()) << "without units";
  EXPECT_FALSE(parse_ncu_report(kNames + kUnits + "\"0\",\"4242\"\n").ok()) << "a row that was cut";
}

TEST(NcuReport, CountersForAdministratorsHaveARemedy) {
  const auto kernels = parse_ncu_report(
      "==PROF== Connected to process 1 (/usr/bin/python3.12)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target "
      "device 0. For instructions on enabling permissions and to get more information see "
      "https://developer.nvidia.com/ERR_NVGPUCTRPERM\n"
      "==WARNING== No kernels were profiled.\n");
  ASSERT_FALSE(kernels.ok());
  EXPECT_THAT(kernels.error().message, HasSubstr("only administrators"));
  EXPECT_THAT(kernels.error().remedy, AllOf(HasSubstr("root"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
}

TEST(NcuReport, ItsFirstErrorIsTheReasonAlsoBesideATable) {
  const auto kernels = parse_ncu_report(
      kReport + "==ERROR== Failed to profile \"k\" in process 1\n==ERROR== An error occurred while trying to profile.\n");
  ASSERT_FALSE(kernels.ok());
  EXPECT_THAT(kernels.error().message, AllOf(HasSubstr("Failed to profile \"k\""), Not(HasSubstr("An error occurred"))));
}

TEST(NcuReport, NothingCountedIsAnError) {
  for (const char* text : {"", "==PROF== Connected to process 1 (/a)\n==WARNING== No kernels were profiled.\n"})
    EXPECT_THAT(parse_ncu_report(text).error().message, HasSubstr("no kernel"));
}

}  // namespace
}  // namespace kbx
