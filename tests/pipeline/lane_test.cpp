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
  }
  for (size_t i : {0, 1}) {
    const auto here = local->judge_next(), there = (*forked)->judge_next();
    EXPECT_EQ(here.index, i);
    EXPECT_EQ(there.index, i);
    ASSERT_TRUE(here.judged.ok()) << here.judged.error().text();
    ASSERT_TRUE(there.judged.ok()) << there.judged.error().text();
    EXPECT_EQ(to_json(here.judged->verdict).dump(), to_json(there.judged->verdict).dump());
  }
  EXPECT_TRUE((*forked)->alive());
}

TEST(Lane, AGpuThatCannotBeSetUpIsAnErrorOfEachCandidateAndNoEnd) {
  const Submission submission = two_without_a_runner();
  auto lane = fork_lane(submission, {}, kGoesOn, [](const JudgeOptions&) -> Status {
    return Error{"no such GPU", "plug it in"};
  });
  ASSERT_TRUE(lane.ok());
  (*lane)->expect(1);
  const auto outcome = (*lane)->judge_next();
  EXPECT_EQ(outcome.index, 1u);
  ASSERT_FALSE(outcome.judged.ok());
  EXPECT_EQ(outcome.judged.error().message, "no such GPU");
  EXPECT_TRUE((*lane)->alive());
}

TEST(Lane, AProcessThatDiesIsNoticedAndDoesNotTakeTheRunWithIt) {
  const Submission submission = two_without_a_runner();
  auto lane = fork_lane(submission, {}, kGoesOn, [](const JudgeOptions&) -> Status {
    kill(getpid(), SIGKILL);
    return Done{};
  });
  ASSERT_TRUE(lane.ok());
  (*lane)->expect(0);
  (*lane)->expect(1);
  for (size_t i : {0, 1}) {
    const auto outcome = (*lane)->judge_next();
    EXPECT_EQ(outcome.index, i);
    EXPECT_FALSE(outcome.judged.ok());
    EXPECT_FALSE((*lane)->alive());
  }
}

}  // namespace
}  // namespace kbx
