// SPDX-License-Identifier: Apache-2.0
// Python candidates in children of a real zygote.
#include <csignal>

#include "runner_fixture.h"

namespace kbx {
namespace {

class ZygoteChild : public RunnerFixture {
 protected:
  static void SetUpTestSuite() {
    RunnerOptions options;
    options.layers = available_layers();
    options.arena_bytes = 1 << 20;
    auto started = Zygote::start(wire::Role::interpret, options);
    ASSERT_TRUE(started.ok()) << started.error().text();
    zygote = *std::move(started);
  }
  static void TearDownTestSuite() { zygote.reset(); }

  void SetUp() override { ASSERT_TRUE(zygote); }

  Reply<Loaded> spawn(const std::string& text) {
    Candidate candidate;
    candidate.files = {{"kernel.py", text}};
    auto started = zygote->spawn(candidate);
    if (!started) {
      ADD_FAILURE() << started.error().text();
      return Broken{started.error().message};
    }
    runner = *std::move(started);
    LoadRequest request;
    request.role = wire::Role::interpret;
    request.path = "kernel.py";
    request.entries = {"f"};
    request.schema = "f(Tensor x) -> Tensor";
    return runner->load(request, kSeconds);
  }
  void spawn_with_one_tensor(const std::string& text) {
    const auto loaded = spawn(text);
    ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded) << runner->output();
    Buffer x = allocate({4});
    x.tensor.fill_(2);
    out = allocate({4});
    ArgumentWriter w;
    w.tensor(x);
    const auto prepared = runner->prepare(0, w.bytes(), w.count(), {out.remote}, kSeconds);
    ASSERT_TRUE(std::holds_alternative<Done>(prepared)) << what(prepared);
  }

  static std::unique_ptr<Zygote> zygote;
};
std::unique_ptr<Zygote> ZygoteChild::zygote;

TEST_F(ZygoteChild, WhatItReturnsLiesInTheDestination) {
  spawn_with_one_tensor("def f(x):\n    return x + 1\n");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
  EXPECT_EQ(out.tensor.sum().item<float>(), 12);
}

TEST_F(ZygoteChild, AnExitCodeComesThroughTheZygote) {
  spawn_with_one_tensor("import os\ndef f(x):\n    os._exit(7)\n");
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Died>(reply)) << what(reply);
  EXPECT_EQ(std::get<Died>(reply).exit_code, 7);
  EXPECT_EQ(std::get<Died>(reply).signal, 0);
}

TEST_F(ZygoteChild, AnEndlessLoopIsKilledAndTheNextChildRuns) {
  spawn_with_one_tensor("def f(x):\n    while True:\n        pass\n");
  const auto reply = call(0.5);
  ASSERT_TRUE(std::holds_alternative<Late>(reply)) << what(reply);
  spawn_with_one_tensor("def f(x):\n    return x\n");
  EXPECT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
}

TEST_F(ZygoteChild, TwoChildrenLiveSideBySide) {
  spawn_with_one_tensor("def f(x):\n    return x * 2\n");
  const auto first = std::move(runner);
  const Buffer first_out = out;
  spawn_with_one_tensor("def f(x):\n    return x * 3\n");
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(first->call({{0, 1}}, kSeconds)));
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(call()));
  EXPECT_EQ(first_out.tensor.sum().item<float>(), 16);
  EXPECT_EQ(out.tensor.sum().item<float>(), 24);
}

TEST_F(ZygoteChild, ASyntaxErrorFailsWithItsLine) {
  const auto reply = spawn("def f(x):\n    return x +\n");
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::import);
  EXPECT_EQ(std::get<Failed>(reply).line, 2);
}

}  // namespace
}  // namespace kbx
