// SPDX-License-Identifier: Apache-2.0
// SanitizedRuns with a stand-in for compute-sanitizer: a script that prints a report and runs its program.
#include "pipeline/sanitize.h"

#include <gtest/gtest.h>

#include "stand_in.h"

namespace kbx {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReport = R"(========= Invalid __global__ write of size 4 bytes
=========     at tile(float *)+0x80 in /box/source/main.cpp:3
=========     by thread (0,0,0) in block (0,0,0)
)";

class SanitizedRunsTest : public StandInTest {
 protected:
  void SetUp() override {
    StandInTest::SetUp();
    options.layers = runner.layers = available_layers();
    runner.arena_bytes = 64 << 20;
  }

  // `body`: of the script, once $tool is set and the program with its arguments is "$@".
  void stand_in(const std::string& body) {
    write_script("compute-sanitizer", "tool=$2\nwhile [ \"${1#/}\" = \"$1\" ]; do shift; done\n" + body);
  }
  std::string report_after_the_program(const std::string& report) const {
    return "echo '========= COMPUTE-SANITIZER'\n\"$@\"\necho \"========= seen by $tool\"\ncat <<'END'\n" + report +
           "END\necho '========= ERROR SUMMARY: 1 error'\n";
  }

  Verdict examined() {
    Verdict verdict;
    auto bench = TaskBench::open(*find_task("sigmoid"), Policy::oracle, 3, at::kCPU, std::nullopt);
    EXPECT_TRUE(bench.ok());
    std::atomic<bool> cancelled{false};
    SanitizedRuns(options, runner).examine(candidate, built(), *bench, cancelled, verdict);
    return verdict;
  }
};

// What is printed behind the program's end is lost if the judge kills what it has no more use for.
TEST_F(SanitizedRunsTest, WhatEachToolPrintsAtItsEndIsADiagnosisWithTheCandidatesOwnFileName) {
  stand_in(report_after_the_program(kReport));
  const Verdict verdict = examined();
  ASSERT_EQ(verdict.diagnosis.size(), 4u) << verdict.log;
  EXPECT_EQ(verdict.diagnosis[0].pattern, "sanitizer_memcheck");
  EXPECT_EQ(verdict.diagnosis[1].pattern, "sanitizer_racecheck");
  EXPECT_EQ(verdict.diagnosis[2].pattern, "sanitizer_initcheck");
  EXPECT_EQ(verdict.diagnosis[3].pattern, "sanitizer_synccheck");
  EXPECT_EQ(verdict.diagnosis[0].evidence,
            "Invalid __global__ write of size 4 bytes in tile(float *) at main.cpp:3, thread (0,0,0), block (0,0,0)");
  EXPECT_EQ(verdict.log, "");
}

TEST_F(SanitizedRunsTest, TheCandidateIsReallyCalled) {
  stand_in("called=$(\"$@\" | grep -c '^called')\n[ \"$called\" -gt 2 ] && cat <<'END'\n" + std::string(kReport) +
           "END\necho '========= ERROR SUMMARY: 1 error'\n");
  EXPECT_EQ(examined().diagnosis.size(), 4u);
}

TEST_F(SanitizedRunsTest, AToolThatGaveNoReportIsNotTakenForOneThatFoundNothing) {
  stand_in("[ $tool = racecheck ] && echo 'no such device' && exit 1\n" + report_after_the_program(""));
  const Verdict verdict = examined();
  EXPECT_TRUE(verdict.diagnosis.empty());
  EXPECT_NE(verdict.log.find("compute-sanitizer --tool racecheck gave no report"), std::string::npos) << verdict.log;
  EXPECT_NE(verdict.log.find("no such device"), std::string::npos) << verdict.log;
  EXPECT_EQ(verdict.log.find("memcheck"), std::string::npos) << verdict.log;
}

TEST_F(SanitizedRunsTest, AToolThatWorksInTheSandboxIsReady) {
  stand_in(report_after_the_program(""));
  const Status ready = SanitizedRuns(options, runner).ready(Language::cpp);
  EXPECT_TRUE(ready.ok()) << ready.error().text();
}

TEST_F(SanitizedRunsTest, ToolsThatCannotReachTheirProgramAreRefusedBeforeAnythingIsJudged) {
  const std::string unseen = "\"$@\"\necho '========= Error: Target application terminated before first instrumented API call'\n";
  for (const std::string& body : {std::string("echo cannot connect; exit 1\n"), unseen}) {
    stand_in(body);
    const Status ready = SanitizedRuns(options, runner).ready(Language::cpp);
    ASSERT_FALSE(ready.ok()) << body;
    EXPECT_NE(ready.error().message.find("cannot run inside the sandbox of this machine"), std::string::npos);
    EXPECT_NE(ready.error().message.find(body == unseen ? "Target application" : "cannot connect"), std::string::npos)
        << ready.error().message;
    EXPECT_NE(ready.error().remedy.find("--no-sandbox"), std::string::npos);
  }
}

TEST_F(SanitizedRunsTest, WithoutASandboxItIsNotBlamed) {
  runner.layers.namespaces = runner.layers.landlock = runner.layers.seccomp = false;
  stand_in("echo cannot connect; exit 1\n");
  const Status refused = SanitizedRuns(options, runner).ready(Language::cpp);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.find("sandbox"), std::string::npos);
  stand_in(report_after_the_program(""));
  const Status ready = SanitizedRuns(options, runner).ready(Language::cpp);
  EXPECT_TRUE(ready.ok()) << ready.error().text();
}

}  // namespace
}  // namespace kbx
