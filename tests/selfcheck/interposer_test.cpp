// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/interposer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace kbx {
namespace {

// Names of all ATen calls that `compute` makes.
std::multiset<std::string> seen_in(const std::function<void()>& compute) {
  std::multiset<std::string> names;
  const Rewriter look = [&](const Operation& op) -> std::optional<Results> {
    names.insert(op.base());
    return std::nullopt;
  };
  const Interposer interposer(look);
  compute();
  return names;
}

const Rewriter kUnchanged = [](const Operation&) -> std::optional<Results> { return std::nullopt; };

Rewriter only(const std::string& base, std::function<Results(const Operation&)> make) {
  return [base, make](const Operation& op) -> std::optional<Results> {
    return op.base() == base ? std::optional(make(op)) : std::nullopt;
  };
}

class InterposerTest : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
  at::NoGradGuard no_grad_;
};

TEST_F(InterposerTest, WatchingChangesNoBit) {
  const at::Tensor x = at::randn({7, 33}), w = at::randn({5, 33}), bias = at::randn({5});
  const auto compute = [&] { return at::layer_norm(at::gelu(at::linear(x, w, bias)).softmax(-1), {5}); };
  const at::Tensor plain = compute();
  const Interposer interposer(kUnchanged);
  EXPECT_TRUE(at::equal(plain, compute()));
}

TEST_F(InterposerTest, OperatorsInsideACompositeAreMissed) {
  const at::Tensor x = at::randn({7, 33}), w = at::randn({5, 33});
  const auto names = seen_in([&] { at::linear(x, w).softmax(-1); });
  EXPECT_TRUE(names.contains("linear"));
  EXPECT_TRUE(names.contains("mm") || names.contains("addmm")) << "linear is a composite of a product";
  EXPECT_TRUE(names.contains("softmax"));
  EXPECT_TRUE(names.contains("_softmax"));
}

TEST_F(InterposerTest, ARewriterSeesItsOwnCalls) {
  const Rewriter doubled = only("exp", [](const Operation& op) { return Results{op.tensor("self")->exp() * 2}; });
  const at::Tensor x = at::randn({9});
  const at::Tensor expected = x.exp() * 2;
  const Interposer interposer(doubled);
  EXPECT_TRUE(at::equal(x.exp(), expected));
}

TEST_F(InterposerTest, AnInPlaceCallIsRewrittenButItsArgumentStaysOld) {
  const Rewriter negated = only("mul", [](const Operation& op) { return Results{only_tensor(op.run())->neg()}; });
  at::Tensor x = at::ones({4});
  {
    const Interposer interposer(negated);
    const at::Tensor y = x.mul_(3);
    EXPECT_TRUE(y.is_same(x));
  }
  EXPECT_TRUE(at::equal(x, at::full({4}, -3.f)));
}

TEST_F(InterposerTest, AnOutTensorStaysUnwritten) {
  const Rewriter negated = only("add", [](const Operation& op) { return Results{only_tensor(op.run())->neg()}; });
  at::Tensor out = at::empty({0}), x = at::ones({4});
  {
    const Interposer interposer(negated);
    at::add_out(out, x, x);
  }
  EXPECT_TRUE(at::equal(out, at::full({4}, -2.f)));
}

TEST_F(InterposerTest, RunningStatisticsAreWrittenTwice) {
  // Evaluating the call twice must not move them twice.
  const Rewriter again = only("native_batch_norm", [](const Operation& op) {
    op.run();
    return op.run();
  });
  const at::Tensor x = at::randn({8, 3}), mean = at::zeros({3}), var = at::ones({3});
  const at::Tensor plain_mean = mean.clone(), plain_var = var.clone();
  at::batch_norm(x, {}, {}, plain_mean, plain_var, true, 0.1, 1e-5, true);
  {
    const Interposer interposer(again);
    at::batch_norm(x, {}, {}, mean, var, true, 0.1, 1e-5, true);
  }
  EXPECT_TRUE(at::equal(mean, plain_mean));
  EXPECT_TRUE(at::equal(var, plain_var));
}

TEST_F(InterposerTest, AnExceptionLeavesItActive) {
  const Rewriter failing = only("exp", [](const Operation&) -> Results { throw std::runtime_error("no"); });
  EXPECT_THROW(
      {
        const Interposer interposer(failing);
        at::exp(at::ones({2}));
      },
      std::runtime_error);
  EXPECT_NO_THROW(at::exp(at::ones({2})));
  EXPECT_TRUE(seen_in([] { at::exp(at::ones({2})); }).contains("exp")) << "and a later one works";
}

TEST_F(InterposerTest, AnErrorOfAtenLeavesItActive) {
  EXPECT_THROW(
      {
        const Interposer interposer(kUnchanged);
        at::mm(at::ones({2, 3}), at::ones({2, 3}));
      },
      c10::Error);
  EXPECT_NO_THROW(at::exp(at::ones({2})));
}

TEST_F(InterposerTest, AnotherOperatorOfTheSameFormIsNotFound) {
  const Rewriter smallest = only("amax", [](const Operation& op) { return op.renamed("amin")->run(); });
  const at::Tensor x = at::randn({5, 7});
  const at::Tensor expected = x.amin(1);
  const Interposer interposer(smallest);
  EXPECT_TRUE(at::equal(x.amax(1), expected));
}

TEST_F(InterposerTest, ArgumentsAreLookedUpByTheirNames) {
  const Rewriter without_alpha = only("add", [](const Operation& op) { return op.with("alpha", at::Scalar(1)).run(); });
  const at::Tensor x = at::randn({5}), y = at::randn({5});
  const at::Tensor expected = x + y;
  const Interposer interposer(without_alpha);
  EXPECT_TRUE(at::equal(at::add(x, y, 3), expected));
}

}  // namespace
}  // namespace kbx
