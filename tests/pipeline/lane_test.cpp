// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "core/verdict_json.h"

namespace kbx {
namespace {

// Verdicts that take no runner: what crosses the line between processes is the same.
Submission two_without_a_runner() {
  Submission submission;
  for (const char* id : {"a", "b"}) {
    Intake intake;
    intake.candidate.id = id;
    intake.candidate.task = "gelu";
    intake.candidate.digest = "d";
    intake.unreadable = Unreadable{std::string("not text: ") + id};
    submission.candidates.push_back(intake);
  }
  return submission;
}

const std::atomic<bool> kGoesOn{false};

TEST(Lane, AVerdictSurvivesTheWayBetweenProcesses) {
  const Submission submission = two_without_a_runner();
  JudgeOptions options;
  options.seed = 7;
  const auto local = make_lane(submission, options, kGoesOn);
  auto forked = fork_lane(submission, options, kGoesOn, [](const JudgeOptions&) -> Status { return Done{}; });
  ASSERT_TRUE(forked.ok());
  for (size_t i : {0, 1}) {
    (*forked)->expect(i);
    local->expect(i);
    const auto here = local->judge(i), there = (*forked)->judge(i);
    ASSERT_TRUE(here.ok()) << here.error().text();
    ASSERT_TRUE(there.ok()) << there.error().text();
    EXPECT_EQ(to_json(here->verdict).dump(), to_json(there->verdict).dump());
  }
  EXPECT_TRUE((*forked)->alive());
}

TEST(Lane, AGpuThatCannotBeSetUpIsAnErrorOfEachCandidateAndNoEnd) {
  const Submission submission = two_without_a_runner();
  auto lane = fork_lane(submission, {}, kGoesOn, [](const JudgeOptions&) -> Status {
    return Error{"no such GPU", "plug it in"};
  });
  ASSERT_TRUE(lane.ok());
  const auto judged = (*lane)->judge(0);
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().message, "no such GPU");
  EXPECT_TRUE((*lane)->alive());
}

TEST(Lane, AProcessThatDiesIsNoticedAndDoesNotTakeTheRunWithIt) {
  const Submission submission = two_without_a_runner();
  auto lane = fork_lane(submission, {}, kGoesOn, [](const JudgeOptions&) -> Status {
    kill(getpid(), SIGKILL);
    return Done{};
  });
  ASSERT_TRUE(lane.ok());
  EXPECT_FALSE((*lane)->judge(0).ok());
  EXPECT_FALSE((*lane)->alive());
  EXPECT_FALSE((*lane)->judge(1).ok());
}

}  // namespace
}  // namespace kbx
