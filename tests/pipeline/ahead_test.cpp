// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>

namespace kbx {
namespace {

using namespace std::chrono_literals;

std::atomic<int> alive{0}, most_alive{0};

// A runner that only counts itself.
class CountedRunner final : public Runner {
 public:
  CountedRunner() {
    const int now = ++alive;
    for (int most = most_alive; now > most && !most_alive.compare_exchange_weak(most, now);) {
    }
  }
  ~CountedRunner() override { --alive; }
  Reply<Loaded> load(const LoadRequest&, double) override { return Broken{}; }
  Reply<Done> prepare(uint32_t, const std::string&, uint32_t, const std::vector<wire::Tensor>&, double) override {
    return Broken{};
  }
  Reply<ReturnedCalls> call(const std::vector<SetSeed>&, double) override { return Broken{}; }
  Reply<std::vector<uint64_t>> time(wire::Timing, const std::vector<SetSeed>&, double) override { return Broken{}; }
  Reply<ReturnedCalls> deliver(double) override { return Broken{}; }
  Reply<std::string> report(double) override { return Broken{}; }
  Reply<std::vector<RunnerFile>> harvest(double) override { return Broken{}; }
  void finish(double) override {}
  Arena& arena() override { throw std::logic_error("not used"); }
  std::string output() override { return ""; }
  double cpu_seconds() const override { return 0; }
  uint64_t involuntary_switches() const override { return 0; }
  void keep_on_core(int) override {}
  void bound_cpu(double) override {}
  double start_seconds() const override { return 0; }
};

const Task& some_task() { return catalogue().front(); }

std::vector<Candidate> candidates(int count) {
  std::vector<Candidate> list(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) list[static_cast<size_t>(i)].id = std::to_string(i);
  return list;
}

class AheadTest : public testing::Test {
 protected:
  void SetUp() override { alive = most_alive = 0; }

  Ahead::Build build = [](const Candidate&, const Task&) { return Built{}; };
  Ahead::Start start = [](const Candidate&, const Task&, const Built&) -> Result<Started> {
    Started started;
    started.runner = std::make_unique<CountedRunner>();
    started.loaded = Loaded{"f", "id"};
    return started;
  };
};

TEST_F(AheadTest, NeverMoreThanTwoContextsThoughAllAreBuilt) {
  const auto list = candidates(8);
  {
    Ahead ahead(build, start);
    for (const Candidate& c : list) ahead.announce(c, some_task());
    for (size_t i = 0; i < list.size(); ++i) {
      auto ready = ahead.take(ahead.next());
      ASSERT_TRUE(ready.ok());
      ASSERT_TRUE(ready->started.has_value());
      ahead.retire(std::move(ready->started->runner));
    }
  }
  EXPECT_EQ(alive, 0);
  EXPECT_LE(most_alive, 2);
}

TEST_F(AheadTest, TheNextOneStartsWhileTheLaneStillHoldsTheFirst) {
  const auto list = candidates(2);
  Ahead ahead(build, start);
  for (const Candidate& c : list) ahead.announce(c, some_task());
  auto first = ahead.take(list[0]);
  while (!ahead.is_ready(list[1])) std::this_thread::sleep_for(1ms);  // hangs where a runner starts only when it is taken
  EXPECT_TRUE(ahead.accompanied());
  auto second = ahead.take(list[1]);
  EXPECT_NE(first->started->beside, second->started->beside);  // whichever was built first started first
  ahead.retire(std::move(first->started->runner));
  ahead.retire(std::move(second->started->runner));
}

TEST_F(AheadTest, ACandidateThatIsNeverTakenDoesNotStandInTheWay) {
  const auto list = candidates(2);
  build = [](const Candidate&, const Task&) {
    Built built;
    built.failure = Failure{BuildFailed{"no"}, ""};
    return built;
  };
  Ahead ahead(build, start);
  for (const Candidate& c : list) ahead.announce(c, some_task());
  EXPECT_TRUE(ahead.take(list[1]).ok());  // ends the process where only the first may be taken
  EXPECT_TRUE(ahead.is_announced(list[0]));
  EXPECT_FALSE(ahead.is_announced(list[1]));
}

TEST_F(AheadTest, WhatDoesNotCompileGetsNoRunner) {
  const auto list = candidates(2);
  build = [](const Candidate& c, const Task&) {
    Built built;
    if (c.id == "0") built.failure = Failure{BuildFailed{"no"}, ""};
    return built;
  };
  Ahead ahead(build, start);
  for (const Candidate& c : list) ahead.announce(c, some_task());
  auto first = ahead.take(list[0]);
  EXPECT_TRUE(first->built.failure.has_value());
  EXPECT_FALSE(first->started.has_value());
  auto second = ahead.take(list[1]);
  ASSERT_TRUE(second->started.has_value());
  ahead.retire(std::move(second->started->runner));
}

TEST_F(AheadTest, ASlowBuildKeepsNobodyWaiting) {
  const auto list = candidates(4);
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  build = [gone](const Candidate& c, const Task&) {
    if (c.id == "0") gone.wait();
    return Built{};
  };
  Ahead ahead(build, start);
  for (const Candidate& c : list) ahead.announce(c, some_task());
  std::vector<std::string> order;
  for (size_t i = 0; i < list.size(); ++i) {
    const Candidate& next = ahead.next();  // hangs where the lane waits for the first
    order.push_back(next.id);
    auto ready = ahead.take(next);
    ahead.retire(std::move(ready->started->runner));
    if (i == 2) go.set_value();
  }
  EXPECT_EQ(order.back(), "0");
}

TEST_F(AheadTest, AlonePutsTheStartedOneBackAndStartsItAgainAfterwards) {
  const auto list = candidates(2);
  Ahead ahead(build, start);
  for (const Candidate& c : list) ahead.announce(c, some_task());
  auto first = ahead.take(list[0]);
  while (!ahead.is_ready(list[1])) std::this_thread::sleep_for(1ms);
  ahead.retire(std::move(first->started->runner));
  auto again = ahead.start_alone(list[0], some_task(), first->built);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(alive, 1);
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(ahead.accompanied());
  EXPECT_FALSE(ahead.is_ready(list[1]));
  ahead.retire(std::move(again->runner));
  auto second = ahead.take(list[1]);
  ASSERT_TRUE(second->started.has_value());
  ahead.retire(std::move(second->started->runner));
}

TEST_F(AheadTest, ATroubleOfOursIsAnErrorOfThatCandidateAlone) {
  const auto list = candidates(2);
  start = [good = start](const Candidate& c, const Task& t, const Built& b) -> Result<Started> {
    if (c.id == "0") return Error{"no memory", ""};
    return good(c, t, b);
  };
  Ahead ahead(build, start);
  for (const Candidate& c : list) ahead.announce(c, some_task());
  EXPECT_FALSE(ahead.take(list[0]).ok());
  auto second = ahead.take(list[1]);
  ASSERT_TRUE(second.ok());
  ahead.retire(std::move(second->started->runner));
}

TEST_F(AheadTest, WhatWasAnnouncedAndNeverTakenEndsWithIt) {
  const auto list = candidates(3);
  {
    Ahead ahead(build, start);
    for (const Candidate& c : list) ahead.announce(c, some_task());
    ahead.next();
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace kbx
