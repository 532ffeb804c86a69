// SPDX-License-Identifier: Apache-2.0
#include "core/installation.h"
#include "runner/program.h"
#include "runner_fixture.h"

namespace kbx {
namespace {

class BaselineRunner : public RunnerFixture {
 protected:
  void open(const std::string& entry) {
    const auto installed = find_installation();
    ASSERT_TRUE(installed.ok()) << installed.error().text();
    const std::string library = std::string(KBX_CANDIDATES) + "/kbx_candidate_reference.so";
    auto started = start_program(installed->runner_baseline, {library, installed->site_packages}, options);
    ASSERT_TRUE(started.ok()) << started.error().text();
    runner = *std::move(started);
    LoadRequest request;
    request.path = library;
    request.entries = {entry};
    const auto loaded = runner->load(request, kSeconds);
    ASSERT_TRUE(std::holds_alternative<Loaded>(loaded)) << what(loaded);
  }
  // Prepares set 0 and calls it.
  std::vector<wire::Leaf> run(ArgumentWriter& w, const std::vector<wire::Tensor>& destinations, uint64_t seed = 1) {
    const auto prepared = runner->prepare(0, w.bytes(), w.count(), destinations, kSeconds);
    EXPECT_TRUE(std::holds_alternative<Done>(prepared)) << what(prepared);
    const auto reply = runner->call({{0, seed}}, kSeconds);
    EXPECT_TRUE(std::holds_alternative<ReturnedCalls>(reply)) << what(reply);
    if (!std::holds_alternative<ReturnedCalls>(reply)) return {};
    return std::get<ReturnedCalls>(reply).calls[0].leaves;
  }
};

TEST_F(BaselineRunner, AResultIsCopiedIntoItsDestination) {
  open("scaled");
  Buffer x = allocate({4});
  out = allocate({4});
  x.tensor.fill_(3);
  ArgumentWriter w;
  w.tensor(x);
  w.add(wire::Tag::real).f64(0.5);
  w.add(wire::Tag::none);
  w.add(wire::Tag::int_list).u32(2).i64(7).i64(8);
  const auto leaves = run(w, {out.remote});
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].kind, wire::Leaf::tensor);
  EXPECT_TRUE(leaves[0].copied);
  EXPECT_EQ(leaves[0].sizes, (std::vector<int64_t>{4}));
  EXPECT_EQ(out.tensor[3].item<float>(), 3.5f);  // 3 * 0.5 + two dims
}

TEST_F(BaselineRunner, ANamedArgumentLeavesTheOthersAtTheirDefaults) {
  open("scaled");
  Buffer x = allocate({1});
  out = allocate({1});
  x.tensor.fill_(1);
  ArgumentWriter w;
  w.tensor(x);
  w.add(wire::Tag::text, "mode").str("m");
  run(w, {out.remote});
  EXPECT_EQ(out.tensor.item<float>(), 102);
}

TEST_F(BaselineRunner, AShorterResultFillsTheFrontOfItsDestination) {
  open("positives");
  Buffer x = allocate({4});
  out = allocate({4});
  out.tensor.fill_(-9);
  for (int64_t i = 0; i < 4; ++i) x.tensor[i] = static_cast<float>(i - 1);
  ArgumentWriter w;
  w.tensor(x);
  const auto leaves = run(w, {out.remote});
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].sizes, (std::vector<int64_t>{2}));
  EXPECT_TRUE(leaves[0].copied);
  EXPECT_EQ(out.tensor[1].item<float>(), 2);
  EXPECT_EQ(out.tensor[2].item<float>(), -9);
}

// The generator in the middle of the schema is not sent.
TEST_F(BaselineRunner, AnInPlaceOperatorChangesItsArgumentAndNamesIt) {
  open("bump_");
  Buffer x = allocate({2});
  x.tensor.fill_(1);
  ArgumentWriter w;
  w.tensor(x);
  w.add(wire::Tag::integer).i64(5);
  const auto leaves = run(w, {});
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].aliases_argument, 1);
  EXPECT_EQ(x.tensor[1].item<float>(), 6);
}

TEST_F(BaselineRunner, ASeedRepeatsAndAnotherDiffers) {
  open("draw");
  out = allocate({8});
  const auto drawn = [&](uint64_t seed) {
    ArgumentWriter w;
    w.add(wire::Tag::int_list).u32(1).i64(8);
    run(w, {out.remote}, seed);
    return out.tensor.clone();
  };
  const at::Tensor first = drawn(1), second = drawn(2);
  EXPECT_FALSE(first.equal(second));
  EXPECT_TRUE(first.equal(drawn(1)));
}

TEST_F(BaselineRunner, SeveralResultsGoToTheirOwnDestinations) {
  open("two");
  Buffer x = allocate({3}), integers = allocate({3}, at::kLong);
  out = allocate({3});
  x.tensor.fill_(4);
  ArgumentWriter w;
  w.tensor(x);
  const auto leaves = run(w, {out.remote, integers.remote});
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_EQ(leaves[1].dtype.bits, 64);
  EXPECT_EQ(out.tensor[0].item<float>(), 5);
  EXPECT_EQ(integers.tensor[2].item<int64_t>(), 4);
}

TEST_F(BaselineRunner, AResultThatTheCallLeavesOutIsNone) {
  open("one_of_two");
  Buffer x = allocate({3}), nothing = allocate({0});
  out = allocate({3});
  x.tensor.fill_(4);
  ArgumentWriter w;
  w.tensor(x);
  const auto leaves = run(w, {out.remote, nothing.remote});
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_EQ(leaves[1].kind, wire::Leaf::none);
  EXPECT_EQ(out.tensor[0].item<float>(), 5);
}

TEST_F(BaselineRunner, TimedResultsReachTheirDestinationsOnlyWhenDelivered) {
  for (const auto how : {wire::Timing::each, wire::Timing::queued}) {
    open("positives");
    std::vector<Buffer> inputs, outputs;
    for (uint32_t set = 0; set < 3; ++set) {
      inputs.push_back(allocate({4}));
      outputs.push_back(allocate({4}));
      inputs.back().tensor.fill_(-1);
      for (int64_t i = 0; i <= set; ++i) inputs.back().tensor[i] = static_cast<float>(10 + set);
      outputs.back().tensor.fill_(-9);
      ArgumentWriter w;
      w.tensor(inputs.back());
      ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(set, w.bytes(), w.count(), {outputs.back().remote}, kSeconds)));
    }
    EXPECT_EQ(timed(how, {{0, 1}, {2, 1}, {1, 1}}).size(), how == wire::Timing::each ? 3u : 1u);
    for (const Buffer& output : outputs) EXPECT_EQ(output.tensor[0].item<float>(), -9);
    inputs[2].tensor.fill_(50);  // too late for the calls that were made
    const auto calls = delivered();
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[1].leaves[0].sizes, (std::vector<int64_t>{3}));
    EXPECT_TRUE(calls[1].leaves[0].copied);
    EXPECT_EQ(calls[1].claimed_ns, 0u);
    EXPECT_EQ(outputs[2].tensor[2].item<float>(), 12);
    EXPECT_EQ(outputs[2].tensor[3].item<float>(), -9);
    EXPECT_EQ(outputs[0].tensor[0].item<float>(), 10);
    EXPECT_EQ(outputs[1].tensor[1].item<float>(), 11);
  }
}

TEST_F(BaselineRunner, AnotherTimeForgetsTheResultsOfTheOneBefore) {
  open("two");
  Buffer x = allocate({3}), integers = allocate({3}, at::kLong);
  out = allocate({3});
  x.tensor.fill_(4);
  ArgumentWriter w;
  w.tensor(x);
  const auto prepared = runner->prepare(0, w.bytes(), w.count(), {out.remote, integers.remote}, kSeconds);
  ASSERT_TRUE(std::holds_alternative<Done>(prepared)) << what(prepared);
  timed(wire::Timing::each, {{0, 1}, {0, 1}});
  x.tensor.fill_(6);
  timed(wire::Timing::each, {{0, 1}});
  ASSERT_EQ(delivered().size(), 1u);
  EXPECT_EQ(out.tensor[0].item<float>(), 7);
  EXPECT_TRUE(timed(wire::Timing::queued, {}).empty());
  EXPECT_TRUE(delivered().empty());
}

TEST_F(BaselineRunner, TimedCallsDrawFromTheSeedThatTheFirstOfThemNames) {
  open("draw");
  out = allocate({8});
  Buffer second = allocate({8});
  for (uint32_t set : {0u, 1u}) {
    ArgumentWriter w;
    w.add(wire::Tag::int_list).u32(1).i64(8);
    const auto& destination = set == 0 ? out.remote : second.remote;
    ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(set, w.bytes(), w.count(), {destination}, kSeconds)));
  }
  timed(wire::Timing::each, {{0, 1}, {1, 1}});
  delivered();
  // One seed before the row: the second call goes on where the first stopped.
  EXPECT_FALSE(out.tensor.equal(second.tensor));
  const at::Tensor first = out.tensor.clone();
  ASSERT_TRUE(std::holds_alternative<ReturnedCalls>(runner->call({{0, 1}}, kSeconds)));
  EXPECT_TRUE(out.tensor.equal(first));
}

TEST_F(BaselineRunner, AnErrorOfTorchInATimedCallIsAnswered) {
  open("scaled");
  ArgumentWriter w;
  w.add(wire::Tag::integer).i64(1);
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, w.bytes(), w.count(), {}, kSeconds)));
  const auto reply = runner->time(wire::Timing::queued, {{0, 1}}, kSeconds);
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::call);
  EXPECT_EQ(std::get<Failed>(reply).kind, "torch");
}

TEST_F(BaselineRunner, AnErrorOfTorchIsAnswered) {
  open("scaled");
  ArgumentWriter w;
  w.add(wire::Tag::integer).i64(1);
  ASSERT_TRUE(std::holds_alternative<Done>(runner->prepare(0, w.bytes(), w.count(), {}, kSeconds)));
  const auto reply = call();
  ASSERT_TRUE(std::holds_alternative<Failed>(reply)) << what(reply);
  EXPECT_EQ(std::get<Failed>(reply).at, wire::FailedAt::call);
}

}  // namespace
}  // namespace kbx
