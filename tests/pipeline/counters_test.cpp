// SPDX-License-Identifier: Apache-2.0
// count_call() with a stand-in for ncu: a script that runs its program, and writes a report where that did what it should.
#include "pipeline/counters.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "catalogue/cases.h"
#include "stand_in.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kReport =
    R"("ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum",)"
    R"("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active","sm__warps_active.avg.pct_of_peak_sustained_active"
"","","byte","byte","ns","%","%"
"0","first","100","20","1000","0","50"
"1","second","3","4","1000","10","100"
)";

class CountCallTest : public StandInTest {
 protected:
  void SetUp() override {
    StandInTest::SetUp();
    fs::create_directories(folder / "tmp");
    setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    options.layers = runner.layers = {false, false, false, true};
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    StandInTest::TearDown();
  }

  // `body`: of the script, once $log is set and the program with its arguments is "$@".
  void stand_in(const std::string& body) {
    write_script("ncu",
                 "[ \"$1\" = --csv ] && shift\n"
                 "while [ \"${1#--}\" != \"$1\" ]; do [ $1 = --log-file ] && log=$2; shift 2; done\n" +
                     body);
  }
  static std::string report(const std::string& text) { return "cat > $log <<'END'\n" + text + "END\n"; }

  Result<Counters> counted() { return count_call(candidate, *find_task("sigmoid"), built(), options, runner); }
};

// Counters of a call that compiles and tunes would be those of hundreds of launches.
TEST_F(CountCallTest, OnlyTheSecondCallIsCounted) {
  stand_in("said=$(LD_PRELOAD=" KBX_FAKE_PROFILER
           " \"$@\" | tr '\\n' ';')\n"
           "[ \"$said\" = 'called;counted from here;called;to here;' ] && " +
           report(kReport) + "echo \"$said\"\n");
  const auto counters = counted();
  ASSERT_TRUE(counters.ok()) << counters.error().text();
  EXPECT_EQ(counters->dram_bytes, 127);
  EXPECT_DOUBLE_EQ(counters->occupancy, 0.75);
  EXPECT_DOUBLE_EQ(counters->tensor_cores, 0.05);
}

// Sigmoid reads its input once and writes as much; of several perf cases the largest moves most.
TEST_F(CountCallTest, TheLeastBytesAreThoseOfTheLargestCaseAndNoFileIsLeft) {
  stand_in("\"$@\" > /dev/null\n" + report(kReport));
  const auto counters = counted();
  ASSERT_TRUE(counters.ok()) << counters.error().text();
  int64_t largest = 0;
  for (const Case& c : perf_cases_of(*find_task("sigmoid"), at::kCPU)) largest = std::max(largest, input_bytes(c));
  EXPECT_EQ(counters->least_bytes, 2.0 * static_cast<double>(largest));
  EXPECT_THAT(counters->line, HasSubstr("input="));
  for (const auto& left : fs::directory_iterator(folder / "tmp"))
    EXPECT_EQ(left.path().filename().string().find("kbx-counters"), std::string::npos) << left.path();
}

TEST_F(CountCallTest, AToolThatWritesNoReportIsQuoted) {
  stand_in("\"$@\" > /dev/null\necho 'no space left'\n");
  const auto counters = counted();
  ASSERT_FALSE(counters.ok());
  EXPECT_THAT(counters.error().message, AllOf(HasSubstr("no report"), HasSubstr("no space left")));
}

// ncu ends a program whose counters it may not read: "it exited" alone would be blamed on the candidate.
TEST_F(CountCallTest, WhereNcuEndsTheProgramItsReasonIsTold) {
  candidate.files.front().text.replace(candidate.files.front().text.find("std::puts(\"called\");"), 20, "_exit(1);           ");
  candidate.files.front().text.insert(0, "#include <unistd.h>\n");
  candidate.digest = sha256_hex(candidate.files.front().text);
  stand_in("\"$@\" > /dev/null\n" +
           report("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters\n"));
  const auto counters = counted();
  ASSERT_FALSE(counters.ok());
  EXPECT_THAT(counters.error().message, AllOf(HasSubstr("could not be called"), HasSubstr("only administrators")));
  EXPECT_THAT(counters.error().remedy, HasSubstr("root"));
}

TEST_F(CountCallTest, InTheSandboxItIsRefusedBeforeAnythingIsJudged) {
  stand_in("");
  EXPECT_TRUE(counters_ready(runner.layers).ok());
  for (bool Layers::*layer : {&Layers::namespaces, &Layers::landlock, &Layers::seccomp}) {
    Layers layers = runner.layers;
    layers.*layer = true;
    const Status ready = counters_ready(layers);
    ASSERT_FALSE(ready.ok());
    EXPECT_THAT(ready.error().remedy, HasSubstr("--no-sandbox"));
  }
}

TEST_F(CountCallTest, WithoutNcuTheRemedyNamesThePackage) {
  if (fs::exists("/usr/local/cuda/bin/ncu") || fs::exists("/opt/nvidia/nsight-compute")) GTEST_SKIP() << "ncu is installed";
  setenv("PATH", "/nowhere", 1);
  const Status ready = counters_ready(runner.layers);
  ASSERT_FALSE(ready.ok());
  EXPECT_THAT(ready.error().message, HasSubstr("--counters needs ncu"));
  EXPECT_THAT(ready.error().remedy, HasSubstr("kbx doctor"));
}

// What these words say is decided here, not by ncu's defaults, which differ between versions.
TEST(NcuCommand, ProfilesChildrenFromWhenItIsToldAndLeavesTheClocksAlone) {
  const std::vector<std::string> words = ncu_command("/bin/ncu", "/tmp/log");
  const auto value_of = [&](const std::string& option) {
    const auto at = std::ranges::find(words, option);
    return at == words.end() ? "" : *(at + 1);
  };
  EXPECT_EQ(words.front(), "/bin/ncu");
  EXPECT_EQ(value_of("--log-file"), "/tmp/log");
  EXPECT_EQ(value_of("--target-processes"), "all");
  EXPECT_EQ(value_of("--profile-from-start"), "off");
  EXPECT_EQ(value_of("--clock-control"), "none");
  EXPECT_EQ(value_of("--cache-control"), "all");
  EXPECT_THAT(value_of("--metrics"), HasSubstr("dram__bytes_read.sum,dram__bytes_write.sum"));
}

}  // namespace
}  // namespace kbx
