// SPDX-License-Identifier: Apache-2.0
#include "pipeline/exchange.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "catalogue/cases.h"
#include "watched_arena.h"

namespace kbx {
namespace {

class ExchangeTest : public testing::Test {
 protected:
  // The call of a case and its truth, laid out for `language`.
  void lay_out(const char* task, const char* line, Language language) {
    const Task* found = find_task(task);
    ASSERT_NE(found, nullptr);
    auto parsed = parse_case(*found, line);
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    auto bound = bind(*found, *parsed, 1, at::kCPU);
    ASSERT_TRUE(bound.ok()) << bound.error().text();
    call_ = *std::move(bound);
    expected_ = consult_oracle(call_);
    arena_ = *make_host_arena(64u << 20);
    auto exchange = Exchange::lay_out(call_, expected_, language, *arena_);
    ASSERT_TRUE(exchange.ok()) << exchange.error().text();
    exchange_.emplace(*std::move(exchange));
    exchange_->write(call_, 0xff);  // NaN: never a right value here
    arena_->fill_red_zones(0xa5);
  }

  Call call_;
  Expected expected_;
  std::unique_ptr<Arena> arena_;
  std::optional<Exchange> exchange_;
};

Returned python_result(const Expected& expected, bool copied = true) {
  Returned r;
  for (const Truth& t : expected.outputs) {
    wire::Leaf leaf;
    leaf.kind = wire::Leaf::tensor;
    leaf.copied = copied;
    leaf.dtype = to_wire(t.dtype);
    leaf.sizes = t.shape;
    r.leaves.push_back(leaf);
  }
  return r;
}

std::vector<Access> accesses(const char* task, const char* line, Language language, Access inputs = Access::read) {
  const Task& found = *find_task(task);
  const Call call = *bind(found, *parse_case(found, line), 1, at::kCPU);
  WatchedArena arena;
  EXPECT_TRUE(Exchange::lay_out(call, consult_oracle(call), language, arena, inputs).ok());
  return arena.accesses;
}

// A kernel that has to write to a buffer would fault; one that must not would go unpunished.
TEST(ExchangeAccess, OnlyWhatACallDoesNotChangeIsReadOnly) {
  using enum Access;
  using Accesses = std::vector<Access>;
  EXPECT_EQ(accesses("add", "standard: input=randn[5,7] other=randn[5,7]", Language::cuda), (Accesses{read, read, write}));
  EXPECT_EQ(accesses("add", "standard: input=randn[5,7] other=randn[5,7] out=like", Language::triton),
            (Accesses{read, read, write}));
  EXPECT_EQ(accesses("leaky_relu", "standard: input=randn[5,7] * inplace=true", Language::triton), (Accesses{write}));
  EXPECT_EQ(accesses("add", "standard: input=randn[5,7] other=randn[5,7]", Language::cuda, write),
            (Accesses{write, write, write}))
      << "the published tests do not mind";
}

// Another sign is one byte of four.
TEST(ExchangeTampering, ElementsAreCountedAndNotTheirBytes) {
  const Task& gelu = *find_task("gelu");
  const Call call = *bind(gelu, *parse_case(gelu, "standard: input=randn[5,7]"), 1, at::kCPU);
  const Expected expected = consult_oracle(call);
  WatchedArena arena;
  auto exchange = Exchange::lay_out(call, expected, Language::cpp, arena);
  ASSERT_TRUE(exchange.ok());
  exchange->write(call, 0xff);
  ASSERT_EQ(arena.tensors.size(), 2u);
  arena.tensors[0].flatten().narrow(0, 3, 5).neg_();
  const auto changed = exchange->input_changed(call, expected);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->elements, 5);
  const Delivery delivery = exchange->take(expected, {});
  EXPECT_FALSE(exchange->changed_since(delivery));
  arena.tensors[1].flatten().narrow(0, 32, 3).neg_();
  const auto late = exchange->changed_since(delivery);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->elements, 3);
}

TEST_F(ExchangeTest, AnUnwrittenOutputIsTakenAsPoisonAndNotAsTheTruth) {
  lay_out("gelu", "standard: input=randn[5,7]", Language::triton);
  const Delivery d = exchange_->take(expected_, python_result(expected_));
  ASSERT_TRUE(d[0].value.defined());
  EXPECT_TRUE(d[0].value.isnan().all().item<bool>());
}

TEST_F(ExchangeTest, AResultThatWasNotCopiedIsAProblemAndNoValue) {
  lay_out("gelu", "standard: input=randn[5,7]", Language::triton);
  const Delivery d = exchange_->take(expected_, python_result(expected_, false));
  EXPECT_FALSE(d[0].value.defined());
  EXPECT_NE(d[0].problem.find("[5, 7]"), std::string::npos) << d[0].problem;
}

// A view of the input has the right values, and no kernel wrote them.
TEST_F(ExchangeTest, AResultInTheMemoryOfAnInputIsAProblemUnlessTheReferenceGivesOneToo) {
  lay_out("permute_copy", "standard: input=randn[5,7] dims=[1,0]", Language::triton);
  EXPECT_FALSE(expected_.outputs[0].shares_input);
  Returned view = python_result(expected_);
  view.leaves[0].aliases_argument = 1;
  EXPECT_NE(exchange_->take(expected_, view)[0].problem.find("argument"), std::string::npos);
  expected_.outputs[0].shares_input = true;
  EXPECT_TRUE(exchange_->take(expected_, view)[0].problem.empty());
}

TEST_F(ExchangeTest, FewerReturnedValuesThanOutputsNameTheMissingOne) {
  lay_out("min", "standard: input_tensor=randn[5,7] dim=1", Language::triton);
  ASSERT_EQ(expected_.outputs.size(), 2u);
  Returned one = python_result(expected_);
  one.leaves.pop_back();
  const Delivery d = exchange_->take(expected_, one);
  EXPECT_TRUE(d[0].problem.empty());
  EXPECT_NE(d[1].problem.find("missing"), std::string::npos) << d[1].problem;
}

TEST_F(ExchangeTest, AFreshExchangeSeesNoChangedInput) {
  for (const char* line :
       {"standard: input=randn[5,7]", "standard: input=randn[5,7]@strided", "boundary: input=randn[]", "boundary: input=randn[0]",
        "boundary: input=randn[257]@offset", "boundary: input=randn[9,65]@expanded"}) {
    lay_out("gelu", line, Language::cpp);
    EXPECT_FALSE(exchange_->input_changed(call_, expected_)) << line;
    EXPECT_FALSE(arena_->red_zones_changed()) << line;
  }
}

TEST_F(ExchangeTest, ANumberForATensorIsATensorForNativeCodeOnly) {
  lay_out("add", "standard: input=randn[5,7] other=2.5", Language::cpp);
  const std::string native = exchange_->arguments();
  EXPECT_FALSE(exchange_->input_changed(call_, expected_));
  lay_out("add", "standard: input=randn[5,7] other=2.5", Language::triton);
  EXPECT_GT(native.size(), exchange_->arguments().size()) << "a tensor's descriptor is longer than a number";
  EXPECT_EQ(exchange_->argument_count(), 2u);
}

TEST_F(ExchangeTest, PythonGetsOnlyWhatTheCaseSpellsOutAndNativeAllButOut) {
  lay_out("add", "standard: input=randn[5,7] other=randn[5,7]", Language::triton);
  EXPECT_EQ(exchange_->argument_count(), 2u);
  lay_out("add", "standard: input=randn[5,7] other=randn[5,7] out=like", Language::cpp);
  EXPECT_EQ(exchange_->argument_count(), 3u);  // input, other, alpha
  EXPECT_EQ(exchange_->destinations().size(), 1u);
}

TEST_F(ExchangeTest, AnOutArgumentIsPoisonedAndIsTheOutput) {
  lay_out("add", "standard: input=randn[5,7] other=randn[5,7] out=like", Language::triton);
  EXPECT_EQ(exchange_->argument_count(), 3u);
  EXPECT_TRUE(exchange_->destinations().empty());
  EXPECT_TRUE(exchange_->take(expected_, {})[0].value.isnan().all().item<bool>());
}

TEST_F(ExchangeTest, AnInPlaceArgumentIsNoChangedInput) {
  lay_out("leaky_relu", "standard: input=randn[5,7] * inplace=true", Language::cpp);
  ASSERT_EQ(expected_.outputs.size(), 1u);
  EXPECT_GE(expected_.outputs[0].argument, 0);
  EXPECT_TRUE(at::equal(exchange_->take(expected_, {})[0].value, call_.arguments[0].value.toTensor()));
  ASSERT_EQ(exchange_->destinations().size(), 1u) << "a typed function takes as many arguments as without inplace";
  EXPECT_EQ(exchange_->take(expected_, {})[0].value.numel(), 35);
  lay_out("leaky_relu", "standard: input=randn[5,7]", Language::cpp);
  EXPECT_EQ(exchange_->destinations().size(), 1u);
}

TEST_F(ExchangeTest, ResultsThatAreAlwaysArgumentsGetNoDestination) {
  lay_out("Adam", cases_of(*find_task("Adam"), 1).front().line.c_str(), Language::cpp);
  EXPECT_TRUE(exchange_->destinations().empty());
}

// TVM-FFI refuses another number of arguments before the candidate's code runs.
TEST_F(ExchangeTest, AResultThatTheCallLeavesOutHasADestinationWithoutElements) {
  lay_out("min_gelu", "standard: input=randn[5,7]", Language::cpp);
  ASSERT_EQ(expected_.outputs.size(), 1u);
  ASSERT_EQ(exchange_->destinations().size(), 2u);
  EXPECT_EQ(exchange_->destinations()[1].sizes, (std::vector<int64_t>{0}));
  lay_out("min_gelu", "standard: input=randn[5,7]", Language::triton);
  EXPECT_EQ(exchange_->destinations().size(), 1u);
}

TEST_F(ExchangeTest, ACallThatHasToRaiseHasADestinationForEachResult) {
  const Task& task = *find_task("fused_gelu_min");
  const Call call = *bind(task, *parse_case(task, "boundary: input=randn[5,0] dim=1 raises"), 1, at::kCPU);
  Expected expected;
  expected.raises = "no minimum";
  const auto arena = *make_host_arena(64u << 20);
  const auto exchange = Exchange::lay_out(call, expected, Language::cpp, *arena);
  ASSERT_TRUE(exchange.ok());
  ASSERT_EQ(exchange->destinations().size(), 2u);
  EXPECT_EQ(exchange->destinations()[0].sizes, (std::vector<int64_t>{5, 1}))
      << "not empty: a kernel may leave early for no elements";
}

TEST_F(ExchangeTest, ADataDependentResultOfNativeCodeNeedsACountWithinBounds) {
  lay_out("masked_select", "standard: input=randn[5,7] mask=bernoulli(0.5)[5,7]", Language::cpp);
  Returned r;
  r.leaves.resize(1);
  for (const double bad : {-1.0, 36.0, std::nan("")}) {
    r.leaves[0].value = bad;
    EXPECT_FALSE(exchange_->take(expected_, r)[0].problem.empty()) << bad;
  }
  r.leaves[0].value = 3;
  EXPECT_EQ(exchange_->take(expected_, r)[0].value.numel(), 3);
}

// Eager in a candidate's place returns the tensor itself.
TEST_F(ExchangeTest, TheCountOfADataDependentResultOfTheReferenceIsItsLength) {
  lay_out("masked_select", "standard: input=randn[5,7] mask=bernoulli(0.5)[5,7]", Language::cpp);
  Returned r;
  r.leaves.resize(1);
  r.leaves[0].kind = wire::Leaf::tensor;
  r.leaves[0].sizes = {4};
  EXPECT_EQ(exchange_->take(expected_, r)[0].value.numel(), 4);
  r.leaves[0].sizes = {36};
  EXPECT_FALSE(exchange_->take(expected_, r)[0].problem.empty());
}

}  // namespace
}  // namespace kbx
