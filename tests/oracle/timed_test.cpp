// SPDX-License-Identifier: Apache-2.0
#include "oracle/timed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/disagreement.h"
#include "local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::local_task;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool exceeds_now(const at::Tensor& a, const at::Tensor& b, double most) { return exceeds(a, b, most).item<bool>(); }

TEST(Disagreement, FindsOneElementInTheLastOfSeveralChunks) {
  const at::Tensor a = at::zeros({(int64_t{1} << 22) + 5}), b = a.clone();
  EXPECT_FALSE(exceeds_now(a, b, 0.5));
  b[-1] = 1;
  EXPECT_TRUE(exceeds_now(a, b, 0.5));
  EXPECT_TRUE(exceeds_now(b, a, 0.5));
  EXPECT_FALSE(exceeds_now(a, b, 2));
  EXPECT_TRUE(exceeds_now(a, b, 0));
}

TEST(Disagreement, WhatIsNotFiniteNeverPassesBesideALimit) {
  const at::Tensor one = at::ones({3});
  for (const double value : {kInfinity, -kInfinity, std::nan("")}) {
    at::Tensor other = one.clone();
    other[1] = value;
    EXPECT_TRUE(exceeds_now(one, other, 1e30)) << value;
    EXPECT_TRUE(exceeds_now(other, one, 1e30)) << value;
    EXPECT_TRUE(exceeds_now(other, other, 1e30)) << value;
  }
}

TEST(Disagreement, ALimitBeyondTheTypesRangeSettlesNothing) {
  const at::Tensor a = at::full({3}, 60000.0, at::kHalf);
  EXPECT_TRUE(exceeds_now(a, a.neg(), 70000));
  EXPECT_TRUE(exceeds_now(a, at::full({3}, -kInfinity, at::kHalf), 70000));
}

TEST(Disagreement, LooksAtImaginaryParts) {
  const at::Tensor a = at::ones({3}, at::kComplexFloat), b = at::complex(at::ones({3}), at::tensor({0.f, 0.f, 3.f}));
  EXPECT_TRUE(exceeds_now(a, b, 2));
  EXPECT_FALSE(exceeds_now(a, b, 4));
}

TEST(Disagreement, ComparesIntegersAndBooleans) {
  const at::Tensor a = at::arange(5), yes = at::ones({3}, at::kBool), no = at::zeros({3}, at::kBool);
  EXPECT_FALSE(exceeds_now(a, a.clone(), 0));
  EXPECT_TRUE(exceeds_now(a, a.flip(0), 0));
  EXPECT_FALSE(exceeds_now(yes, yes.clone(), 0));
  EXPECT_TRUE(exceeds_now(yes, no, 0));
}

class TimedCall : public ::testing::Test {
 protected:
  TimedCall()
      : task_(local_task("exponential(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::exp(a.tensor("x"))}; })),
        first_(call_of(task_, {at::linspace(-2, 2, 1000)})),
        call_(call_of(task_, {at::linspace(-1.9, 2.1, 1000)})),
        measured_(consult_oracle(first_)),
        timed_(measured_),
        eager_(timed_.run_eager(call_)) {}

  bool doubtful(const at::Tensor& y) { return timed_.doubtful(call_, eager_, {{y, ""}}).item<bool>(); }
  bool judged(const at::Tensor& y) { return judge_outputs(call_, timed_.complete(call_, eager_), {{{y, ""}}}).passed; }
  double allowed() const { return 2 * measured_.outputs[0].budget.max().item<double>(); }
  at::Tensor right() const { return eager_.outputs[0].eager.clone(); }

  Task task_;
  Call first_, call_;
  Expected measured_;
  TimedTruth timed_;
  Expected eager_;
};

TEST_F(TimedCall, EagersOwnResultIsBeyondDoubt) {
  EXPECT_FALSE(doubtful(right()));
  EXPECT_TRUE(judged(right()));
}

TEST_F(TimedCall, ASmallErrorIsBeyondDoubtAndPasses) {
  EXPECT_FALSE(doubtful(right().add_(allowed() / 4)));
  EXPECT_TRUE(judged(right().add_(allowed() / 4)));
}

TEST_F(TimedCall, AnErrorNearTheBudgetIsDoubtfulAndPasses) {
  EXPECT_TRUE(doubtful(right().add_(allowed() * 0.9)));
  EXPECT_TRUE(judged(right().add_(allowed() * 0.9)));
}

TEST_F(TimedCall, OneElementBeyondTheBudgetIsDoubtfulAndFails) {
  at::Tensor y = right();
  y[17] += 3 * allowed();
  EXPECT_TRUE(doubtful(y));
  EXPECT_FALSE(judged(y));
}

TEST_F(TimedCall, TheResultForTheFirstContentsIsStale) {
  EXPECT_TRUE(doubtful(measured_.outputs[0].eager));
  EXPECT_FALSE(judged(measured_.outputs[0].eager));
}

TEST_F(TimedCall, OtherTypeOtherShapeAndNothingAreDoubtful) {
  EXPECT_TRUE(doubtful(right().to(at::kDouble)));
  EXPECT_TRUE(doubtful(right().unsqueeze(0)));
  EXPECT_TRUE(doubtful(at::Tensor()));
}

TEST_F(TimedCall, NanWhereEagerHasANumberIsDoubtful) {
  at::Tensor y = right();
  y[0] = std::nan("");
  EXPECT_TRUE(doubtful(y));
  EXPECT_FALSE(judged(y));
}

TEST(TimedExact, AnExactResultMayDifferNowhere) {
  const Task task = local_task(
      "twice(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") * 2}; }, exact());
  const Call call = call_of(task, {at::arange(8, at::kFloat)});
  const TimedTruth timed(consult_oracle(call));
  const Expected eager = timed.run_eager(call);
  const at::Tensor right = at::arange(8, at::kFloat) * 2;
  EXPECT_FALSE(timed.doubtful(call, eager, {{right, ""}}).item<bool>());
  EXPECT_TRUE(timed.doubtful(call, eager, {{right + 1e-6, ""}}).item<bool>());
}

// Where a contract judges by residuals, another basis than eager's is as right: it is for the contract to say.
TEST(TimedExact, OfADecompositionEagersOwnIsBeyondDoubtAndAnyOtherIsLeftToTheContract) {
  const Task task = local_task(
      "values(Tensor A) -> (Tensor U, Tensor S, Tensor V)",
      [](const Args& a) -> Values {
        auto [u, s, v] = at::svd(a.tensor("A"));
        return {u, s, v};
      },
      decomposition(DecompositionKind::svd));
  const Call call = call_of(task, {at::eye(4) + 0.1});
  const TimedTruth timed(consult_oracle(call));
  const Expected eager = timed.run_eager(call);
  Delivery delivery;
  for (const Truth& truth : eager.outputs) delivery.push_back({truth.eager, ""});
  EXPECT_FALSE(timed.doubtful(call, eager, delivery).item<bool>());
  delivery.front().value = -delivery.front().value;
  EXPECT_TRUE(timed.doubtful(call, eager, delivery).item<bool>());
}

// What such contracts look at takes long: not for a result that is eager's own.
TEST(TimedExact, OfIndicesEagersOwnAreBeyondDoubtAndOthersAreLeftToTheContract) {
  const Task task = local_task(
      "least(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").argmin()}; }, {Indices{"x", ""}});
  const Call call = call_of(task, {at::arange(5, at::kFloat)});
  const TimedTruth timed(consult_oracle(call));
  const Expected eager = timed.run_eager(call);
  EXPECT_FALSE(timed.doubtful(call, eager, {{at::scalar_tensor(0, at::kLong), ""}}).item<bool>());
  EXPECT_TRUE(timed.doubtful(call, eager, {{at::scalar_tensor(1, at::kLong), ""}}).item<bool>());
}

}  // namespace
}  // namespace kbx
