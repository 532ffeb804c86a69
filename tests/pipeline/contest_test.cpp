// SPDX-License-Identifier: Apache-2.0
// What the timing asks of both sides and what it makes of their answers, with runners in this process that do as they are told.
#include "pipeline/contest.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/relu.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "catalogue/cases.h"
#include "catalogue/task.h"
#include "measure/profile.h"
#include "watched_arena.h"

namespace kbx {
namespace {

using Calls = std::vector<Runner::SetSeed>;

// A relu of one input in native form: each set is an input and a result.
class FakeRunner final : public Runner {
 public:
  FakeRunner(std::vector<std::string>& log, std::string name) : log_(log), name_(std::move(name)) {}

  // What it does when the right results are there. `message` counts those with calls.
  std::function<void(int message, const Calls& calls)> mischief;
  std::function<bool(int message, size_t call)> skips;
  std::function<void()> after_delivery;
  std::optional<Failed> refuses;
  std::chrono::milliseconds delivers_for{0};
  std::vector<at::Tensor> inputs;  // of all calls
  std::vector<int> cores;          // that it was told to keep to
  double uses = 0;                 // seconds of a processor, whenever it is asked

  at::Tensor result(uint32_t set) { return arena_.tensors.at(2 * set + 1); }

  Reply<Loaded> load(const LoadRequest&, double) override { return Loaded{}; }
  Reply<Done> prepare(uint32_t, const std::string&, uint32_t, const std::vector<wire::Tensor>&, double) override {
    return Done{};
  }
  Reply<ReturnedCalls> call(const Calls&, double) override { return Broken{"a timed runner is not called"}; }
  Reply<std::vector<uint64_t>> time(wire::Timing how, const Calls& calls, double) override {
    if (refuses) return *refuses;
    log_.push_back(name_ + (calls.empty() ? " nothing" : how == wire::Timing::each ? " each" : " another"));
    for (size_t i = 0; i < calls.size(); ++i) {
      const at::Tensor input = arena_.tensors.at(2 * calls[i].set);
      inputs.push_back(input.clone());
      if (!skips || !skips(message_, i)) result(calls[i].set).copy_(at::relu(input));
    }
    if (!calls.empty() && mischief) mischief(message_, calls);
    message_ += !calls.empty();
    timed_ = calls.size();
    return std::vector<uint64_t>(calls.size(), 1000);
  }
  Reply<ReturnedCalls> deliver(double) override {
    log_.push_back(name_ + " deliver");
    delivered_ = true;
    std::this_thread::sleep_for(delivers_for);
    return ReturnedCalls{std::vector<Returned>(timed_, Returned{.claimed_ns = 0, .delivered = true, .leaves = {}}), 0};
  }
  Reply<std::string> report(double) override { return std::string("{}"); }
  Reply<std::vector<RunnerFile>> harvest(double) override { return Broken{"no cache"}; }
  void finish(double) override {}
  Arena& arena() override { return arena_; }
  std::string output() override { return ""; }
  double cpu_seconds() const override { return used_ += uses; }
  // Asked before the sides of a block have their turns and after it.
  uint64_t involuntary_switches() const override {
    if (std::exchange(delivered_, false) && after_delivery) after_delivery();
    return 0;
  }
  void keep_on_core(int core) override { cores.push_back(core); }
  void bound_cpu(double) override {}
  double start_seconds() const override { return 0; }

 private:
  WatchedArena arena_;
  std::vector<std::string>& log_;
  std::string name_;
  size_t timed_ = 0;
  int message_ = 0;
  mutable bool delivered_ = false;
  mutable double used_ = 0;
};

class ContestTest : public testing::Test {
 protected:
  ContestTest() {
    options.seed = 5;
    const Task& relu = *find_task("relu");
    heat = *Heat::prepare(relu, *parse_case(relu, "input=randn[64,33]"), options.seed, at::kCPU);
    options.caches = Caches::warm;
    rule.least = rule.most = 9;
    rule.seconds = 60;
    baseline = side("baseline", eager, false);
    candidate = side("candidate", other, true);
  }

  std::unique_ptr<Side> side(const std::string& name, FakeRunner*& runner, bool writes_results) {
    auto made = std::make_unique<FakeRunner>(log, name);
    runner = made.get();
    return std::make_unique<Side>(name, std::move(made), wire::Role::native, Language::cpp, writes_results);
  }

  Result<std::optional<Failure>> run() {
    Contest contest(at::kCPU, options);
    contest.enter({baseline.get(), candidate.get()}, 0);
    return contest.run(*heat, rule, spread_of(nullptr), cancelled, blocks);
  }

  JudgeOptions options;
  std::optional<Heat> heat;
  StoppingRule rule;
  std::vector<std::string> log;
  FakeRunner *eager = nullptr, *other = nullptr;
  std::unique_ptr<Side> baseline, candidate;
  std::atomic<bool> cancelled = false;
  std::vector<BlockRecord> blocks;
};

TEST_F(ContestTest, WhatTheCandidateUsesInOthersTurnsIsRecorded) {
  other->uses = 0.5;
  eager->uses = 7;
  ASSERT_TRUE(run().ok());
  ASSERT_FALSE(blocks.empty());
  for (const BlockRecord& b : blocks) {
    EXPECT_EQ(b.meanwhile_seconds, 0.5);
    EXPECT_GT(b.others_seconds, 0);
    EXPECT_TRUE(b.before.empty()) << "no message comes before a sample on the CPU";
  }
}

// Cores differ by what shares them: sides on two of them differ by that luck.
TEST_F(ContestTest, BothSidesOfAGpuAreKeptOnOneCore) {
  options.gpu = Gpu{};
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(eager->cores.size(), 1u);
  EXPECT_EQ(eager->cores, other->cores);
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_TRUE(CPU_ISSET(static_cast<size_t>(eager->cores.front()), &allowed));
}

TEST_F(ContestTest, WhoComputesOnTheHostIsKeptOnNoCore) {
  ASSERT_TRUE(run().ok());
  EXPECT_TRUE(eager->cores.empty() && other->cores.empty());
}

TEST_F(ContestTest, BothSidesGetTheSameMessagesAndDeliverRightAfterEach) {
  const auto ran = run();
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  ASSERT_FALSE(ran->has_value()) << outcome_summary((*ran)->outcome);
  EXPECT_EQ(blocks.size(), 9u);
  std::map<std::string, std::vector<std::string>> by_side;
  for (size_t i = 0; i < log.size(); ++i) {
    const std::string name = log[i].substr(0, log[i].find(' ')), what = log[i].substr(log[i].find(' ') + 1);
    by_side[name].push_back(what);
    if (what == "each") {
      ASSERT_LT(i + 1, log.size());
      EXPECT_EQ(log[i + 1], name + " deliver");
    }
  }
  EXPECT_EQ(by_side["baseline"], by_side["candidate"]);
}

TEST_F(ContestTest, WhoIsFirstChanges) {
  ASSERT_TRUE(run().ok());
  std::set<std::string> after_nothing;  // whoever begins a block
  for (size_t i = 0; i + 3 < log.size(); i += 6) after_nothing.insert(log[i]);
  EXPECT_EQ(after_nothing, (std::set<std::string>{"baseline nothing", "candidate nothing"}));
}

TEST_F(ContestTest, ContentsAreTheSameForBothSidesAndNeverComeTwice) {
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(eager->inputs.size(), other->inputs.size());
  for (size_t i = 0; i < other->inputs.size(); ++i) {
    EXPECT_TRUE(eager->inputs[i].equal(other->inputs[i])) << i;
    for (size_t k = 0; k < i; ++k) EXPECT_FALSE(other->inputs[i].equal(other->inputs[k])) << i << " and " << k;
  }
}

TEST_F(ContestTest, OneWrongElementOfTheLastSetInALaterBlockVoidsTheRace) {
  other->mischief = [this](int message, const Calls& calls) {
    if (message == 8) other->result(calls.back().set)[63][32] += 1;
  };
  const auto ran = run();
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  ASSERT_TRUE(ran->has_value());
  const auto* wrong = std::get_if<Wrong>(&(*ran)->outcome);
  ASSERT_NE(wrong, nullptr) << outcome_summary((*ran)->outcome);
  EXPECT_NE(wrong->detail.find("timed call"), std::string::npos) << wrong->detail;
}

TEST_F(ContestTest, ACallThatIsSkippedLeavesPoison) {
  other->skips = [](int message, size_t call) { return message == 8 && call == 1; };
  const auto ran = run();
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  ASSERT_TRUE(ran->has_value());
  EXPECT_TRUE(std::holds_alternative<Wrong>((*ran)->outcome)) << outcome_summary((*ran)->outcome);
}

TEST_F(ContestTest, WhatIsWrittenAfterTheDeliveryIsDishonest) {
  int written = 0;
  other->after_delivery = [&] {
    if (++written == 4) other->result(0).fill_(3);
  };
  const auto ran = run();
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  ASSERT_TRUE(ran->has_value());
  EXPECT_TRUE(std::holds_alternative<Dishonest>((*ran)->outcome)) << outcome_summary((*ran)->outcome);
}

TEST_F(ContestTest, WhatTheBaselineDoesWrongIsNotTheCandidatesFault) {
  eager->refuses = Failed{wire::FailedAt::call, "ValueError", "no", "", 0};
  EXPECT_FALSE(run().ok());
  eager->refuses.reset();
  other->refuses = Failed{wire::FailedAt::call, "ValueError", "no", "", 0};
  const auto ran = run();
  ASSERT_TRUE(ran.ok());
  EXPECT_TRUE(ran->has_value());
}

// Results that are copied when they are delivered take their time there; who has written them before has nothing to do.
TEST_F(ContestTest, HandingOutIsHeldAgainstThoseAloneWhoHaveNothingToCopy) {
  for (const bool writes : {false, true}) {
    candidate = side("candidate", other, writes);
    other->delivers_for = std::chrono::milliseconds(40);
    blocks.clear();
    ASSERT_TRUE(run().ok());
    std::vector<double> unclaimed;
    for (const BlockRecord& block : blocks) unclaimed.push_back(block.unclaimed[Contest::kCandidate]);
    std::ranges::sort(unclaimed);
    // Two calls to a message at most: 20 ms of each, or next to nothing.
    EXPECT_EQ(unclaimed[unclaimed.size() / 2] > 0.015, writes) << unclaimed[unclaimed.size() / 2];
  }
}

TEST_F(ContestTest, AnInterruptedRaceEndsWithoutAnotherBlock) {
  cancelled = true;
  const auto ran = run();
  ASSERT_TRUE(ran.ok());
  EXPECT_TRUE(blocks.empty());
}

}  // namespace
}  // namespace kbx
