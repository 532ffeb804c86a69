// SPDX-License-Identifier: Apache-2.0
// The requests `time` and `deliver` to a real runner-native.
#include "runner_fixture.h"

namespace kbx {
namespace {

class TimedNative : public RunnerFixture {
 protected:
  // Loads `called` and prepares `sets` sets, each with an output of its own; the function throws when it has been called
  // `fails_at` times.
  void start_counting(uint32_t sets, float fails_at = -1) {
    ASSERT_TRUE(std::holds_alternative<Loaded>(load("honest", {"called"})));
    for (uint32_t set = 0; set < sets; ++set) {
      outputs.push_back(allocate({1}));
      outputs.back().tensor.fill_(-1);
      Buffer when = allocate({1});
      when.tensor.fill_(fails_at);
      ArgumentWriter w;
      w.tensor(outputs.back());
      w.tensor(when);
      ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(set, w.bytes(), w.count(), {}, kSeconds)));
    }
  }
  float written(uint32_t set) const { return outputs[set].tensor.item<float>(); }
  std::vector<double> counts() {
    std::vector<double> found;
    for (const Returned& r : delivered()) {
      EXPECT_TRUE(r.delivered);
      EXPECT_EQ(r.claimed_ns, 0u);
      EXPECT_EQ(r.leaves.size(), 1u);
      if (r.leaves.size() == 1) found.push_back(r.leaves[0].value);
    }
    return found;
  }

  std::vector<Buffer> outputs;
};

TEST_F(TimedNative, EveryCallIsTimedAndItsResultIsHandedOutAfterwards) {
  start_counting(3);
  const Times times = timed(wire::Timing::each, {{0, 1}, {2, 1}, {1, 1}});
  ASSERT_EQ(times.size(), 3u);
  for (const uint64_t ns : times) EXPECT_GT(ns, 0u);
  EXPECT_EQ(written(2), 1);
  EXPECT_EQ(written(1), 2);
  EXPECT_EQ(counts(), (std::vector<double>{0, 1, 2}));
}

TEST_F(TimedNative, QueuedCallsHaveOneTimeForAll) {
  start_counting(2);
  EXPECT_EQ(timed(wire::Timing::queued, {{0, 1}, {1, 1}, {0, 1}}).size(), 1u);
  EXPECT_EQ(counts(), (std::vector<double>{0, 1, 2}));
}

TEST_F(TimedNative, NoCallsAreAnEmptyExchangeThatForgetsResults) {
  start_counting(1);
  for (const auto how : {wire::Timing::each, wire::Timing::queued, wire::Timing::traced}) {
    timed(wire::Timing::each, {{0, 1}});
    EXPECT_TRUE(timed(how, {}).empty());
    EXPECT_TRUE(delivered().empty());
  }
}

TEST_F(TimedNative, AnotherTimeForgetsTheResultsOfTheOneBefore) {
  start_counting(1);
  timed(wire::Timing::each, {{0, 1}, {0, 1}});
  timed(wire::Timing::each, {{0, 1}});
  EXPECT_EQ(counts(), (std::vector<double>{2}));
}

TEST_F(TimedNative, AnOrdinaryCallInBetweenKeepsWhatWasKept) {
  start_counting(1);
  timed(wire::Timing::each, {{0, 1}});
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
  EXPECT_EQ(counts(), (std::vector<double>{0}));
}

TEST_F(TimedNative, AnErrorInOneOfTheCallsIsAnsweredAsInACall) {
  start_counting(1, 1);
  const auto reply = runner->time(wire::Timing::each, {{0, 1}, {0, 1}, {0, 1}}, kSeconds);
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::call);
  EXPECT_EQ(std::get<Failed>(reply).message, "call 1");
  EXPECT_EQ(written(0), 0);  // the third was not made
  const auto queued = runner->time(wire::Timing::queued, {{0, 1}}, kSeconds);
  EXPECT_TRUE(std::holds_alternative<Failed>(queued)) << what(queued);
}

TEST_F(TimedNative, ASetThatWasNotPreparedIsRefusedBeforeAnythingRuns) {
  start_counting(1);
  const auto reply = runner->time(wire::Timing::each, {{0, 1}, {9, 1}}, kSeconds);
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::unsupported);
  EXPECT_EQ(written(0), -1);
}

TEST_F(TimedNative, EachCallHasItsOwnSeedEvenOfTheSameSet) {
  ASSERT_TRUE(std::holds_alternative<Loaded>(load("honest", {"seeded"}, R"({"append_seed": true})")));
  Buffer first = allocate({1}), second = allocate({1});
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, "", 0, {first.remote}, kSeconds)));
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(1, "", 0, {second.remote}, kSeconds)));
  timed(wire::Timing::each, {{0, 6}, {0, 5}, {1, 7}});
  EXPECT_EQ(first.tensor.item<float>(), 5);
  EXPECT_EQ(second.tensor.item<float>(), 7);
}

TEST_F(TimedNative, GpuTimeIsRefusedWhereCuptiDoesNotRun) {
  start_counting(1);
  const auto reply = runner->time(wire::Timing::traced, {{0, 1}}, kSeconds);
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::unsupported);
  EXPECT_EQ(std::get<Failed>(reply).kind, "cupti");
  EXPECT_FALSE(std::get<Failed>(reply).message.empty());
  EXPECT_EQ(written(0), -1);
}

}  // namespace
}  // namespace kbx
