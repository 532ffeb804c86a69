// SPDX-License-Identifier: Apache-2.0
// Python candidates in children of a real zygote.
#include <csignal>
#include <map>

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

  Reply<Loaded> spawn(const std::string& text, const std::vector<RunnerFile>& cache = {}) {
    Candidate candidate;
    candidate.files = {{"kernel.py", text}};
    auto started = zygote->spawn(candidate, cache);
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

// Stands for Triton's compiler.
const std::string kFillsTheCache = R"(
import os
root = os.environ["TRITON_CACHE_DIR"]
os.makedirs(root + "/KEY")
open(root + "/KEY/k.cubin", "w").write("binary")
open(root + "/KEY/__grp__k.json", "w").write('{"child_paths": {"k.cubin": "/elsewhere/KEY/k.cubin"}}')
os.symlink("/etc/passwd", root + "/KEY/link")
os.makedirs(root + "/KEY/folder/deep")
os.symlink("/etc", root + "/LINK")
open(root + "/loose", "w").write("x")
def f(x):
    return x
)";

TEST_F(ZygoteChild, AHarvestHoldsPlainFilesOfTheCacheAndFollowsNoLink) {
  const auto loaded = spawn(kFillsTheCache);
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
  const auto reply = runner->harvest(kSeconds);
  ASSERT_TRUE((std::holds_alternative<std::vector<RunnerFile>>(reply))) << what(reply);
  std::map<std::string, std::string> files;
  for (const RunnerFile& file : std::get<std::vector<RunnerFile>>(reply)) files[file.path] = file.bytes;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files["KEY/k.cubin"], "binary");
  EXPECT_TRUE(files.contains("KEY/__grp__k.json"));
}

TEST_F(ZygoteChild, AHarvestLiesInTheNextRunnersCacheWithItsOwnPaths) {
  const auto loaded = spawn(kFillsTheCache);
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
  const auto reply = runner->harvest(kSeconds);
  ASSERT_TRUE((std::holds_alternative<std::vector<RunnerFile>>(reply))) << what(reply);
  const std::string reads = R"(
import json, os
folder = os.environ["TRITON_CACHE_DIR"] + "/KEY"
path = json.load(open(folder + "/__grp__k.json"))["child_paths"]["k.cubin"]
assert os.path.dirname(path) == folder and open(path).read() == "binary"
def f(x):
    return x
)";
  const auto second = spawn(reads, std::get<std::vector<RunnerFile>>(reply));
  EXPECT_TRUE(std::holds_alternative<Loaded>(second)) << what(second);
}

TEST_F(ZygoteChild, OneCandidatesCacheIsNotAnothers) {
  const auto loaded = spawn(kFillsTheCache);
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
  const auto first = std::move(runner);
  const auto second =
      spawn("import os\nassert not os.path.exists(os.environ['TRITON_CACHE_DIR'] + '/KEY')\ndef f(x):\n    return x\n");
  EXPECT_TRUE(std::holds_alternative<Loaded>(second)) << what(second);
}

TEST_F(ZygoteChild, ABrokenCacheIsNoFailure) {
  const auto loaded = spawn("def f(x):\n    return x\n", {{"KEY/__grp__k.json", "[1, {"}, {"KEY/__grp__l.json", "7"}});
  EXPECT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
}

TEST_F(ZygoteChild, ARunnerThatDoesNotAnswerAHarvestIsKilled) {
  const std::string stuck = "import os\nimport time\ndef f(x):\n    return x\nos.pwrite = lambda *a: time.sleep(60)\n";
  const auto loaded = spawn(kFillsTheCache + stuck);
  ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
  const auto reply = runner->harvest(0.5);
  EXPECT_TRUE(std::holds_alternative<Late>(reply)) << what(reply);
}

TEST_F(ZygoteChild, ASyntaxErrorFailsWithItsLine) {
  const auto reply = spawn("def f(x):\n    return x +\n");
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::import);
  EXPECT_EQ(std::get<Failed>(reply).line, 2);
}

}  // namespace
}  // namespace kbx
