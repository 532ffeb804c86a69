// SPDX-License-Identifier: Apache-2.0
// Attacks on the channel between judge and runner.
#include "runner_fixture.h"

namespace kbx {
namespace {

using HostileRunner = RunnerFixture;

TEST_F(HostileRunner, ExitingWithSuccessIsADeath) {
  start("hostile", "exits_with_success");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
  EXPECT_EQ(std::get<Died>(reply).signal, 0);
  EXPECT_EQ(std::get<Died>(reply).exit_code, 0);
}

// The forged answer is taken as what it is, a claim; the output is still poisoned, and nothing follows.
TEST_F(HostileRunner, AForgedAnswerBeforeExitIsAClaimAboutAnUntouchedOutput) {
  start("hostile", "forges_and_exits");
  out.tensor.fill_(-1);
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  EXPECT_EQ(out.tensor.sum().item<float>(), -16);
  EXPECT_TRUE(std::holds_alternative<Died>(call()));
}

TEST_F(HostileRunner, ASecondAnswerToOneRequestBreaksTheSession) {
  start("hostile", "forges_and_returns");
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
  Reply<std::string> reply = runner->report(kSeconds);
  EXPECT_TRUE(std::holds_alternative<Broken>(reply)) << what(reply);
}

TEST_F(HostileRunner, AnAnswerOfAnotherKindBreaksTheSession) {
  start("hostile", "forges_another_answer");
  const auto reply = call();
  EXPECT_TRUE(std::holds_alternative<Broken>(reply)) << what(reply);
}

TEST_F(HostileRunner, MalformedMessagesBreakTheSession) {
  for (const char* entry : {"sends_garbage", "sends_an_oversized_message", "claims_many_leaves"}) {
    start("hostile", entry);
    const auto reply = call();
    EXPECT_TRUE(std::holds_alternative<Broken>(reply)) << entry << " " << what(reply);
    // Broken is the end: the process is dead, and stays so for every later request.
    EXPECT_TRUE(std::holds_alternative<Broken>(call()));
  }
}

TEST_F(HostileRunner, AnEmptyMessageIsNotTakenForTheEndOfALivingRunner) {
  start("hostile", "sends_an_empty_message");
  const auto reply = call();
  EXPECT_FALSE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
}

TEST_F(HostileRunner, AFloodOfFaultReportsDoesNotHoldTheJudge) {
  start("hostile", "floods_with_faults");
  const auto reply = call(5);
  EXPECT_TRUE(std::holds_alternative<Broken>(reply)) << what(reply);
}

TEST_F(HostileRunner, ClosingTheSocketEndsTheSession) {
  start("hostile", "closes_the_socket");
  const auto died = call();
  EXPECT_TRUE(std::holds_alternative<Died>(died)) << what(died);
  start("hostile", "closes_the_socket_and_stays");
  const auto killed = call();
  ASSERT_TRUE(std::holds_alternative<Died>(killed)) << what(killed);
  EXPECT_TRUE(std::get<Died>(killed).closed_channel) << "a closed channel is no evidence of tampering";
}

TEST_F(HostileRunner, EndlessOutputNeitherBlocksNorFillsTheMemory) {
  start("hostile", "prints_100_megabytes");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  const std::string output = runner->output();
  EXPECT_LT(output.size(), 66u * 1024);
  EXPECT_EQ(output.substr(0, 5), "first");
  EXPECT_EQ(output.substr(output.size() - 4), "last");
}

}  // namespace
}  // namespace kbx
