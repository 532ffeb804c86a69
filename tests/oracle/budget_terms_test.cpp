// SPDX-License-Identifier: Apache-2.0
// What each term of the budget is for: an honest result that only this term lets pass, and a degraded one that the whole
// budget still rejects.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/numeric.h"
#include "contracts/rounding.h"
#include "oracle/budget.h"
#include "oracle/evaluation.h"
#include "oracle/local_task.h"
#include "oracle/precise_scope.h"
#include "oracle/sampling.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::local_task;

// The samples of one call, judged under any choice of terms.
class Sampling {
 public:
  Sampling(const Task& task, std::vector<c10::IValue> values) : call_(call_of(task, std::move(values))) {
    const PreciseScope precise;
    Evaluation evaluation(call_);
    eager_ = evaluation.own().front();
    truth_ = evaluation.in_precision(task.reference, evaluation.inputs(), at::kDouble).front();
    samples_ = sample(evaluation, task.reference, task.reference, {{0, truth_, eager_}}, 3).front();
  }
  const at::Tensor& truth() const { return truth_; }
  const at::Tensor& eager() const { return eager_; }
  double ratio(const at::Tensor& y, const BudgetTerms& terms = {}) const {
    return compare_numeric(y.to(eager_.scalar_type()), truth_, budget_of(samples_, eager_.scalar_type(), terms).budget, eager_)
        .ratio;
  }

 private:
  Call call_;
  at::Tensor eager_, truth_;
  Samples samples_;
};

at::Tensor bf16(const at::Tensor& x) { return x.to(at::kBFloat16).to(x.scalar_type()); }
at::Tensor uniform(at::IntArrayRef shape, double low, double high) { return at::empty(shape).uniform_(low, high); }

class BudgetTerm : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(1); }
};

TEST(BudgetParts, TheComponentwiseChangeIsTheMedianOfTheCauchyDraws) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto draw = [](double a, double b) { return at::tensor({a, b}, at::kDouble); };
  const std::vector<at::Tensor> signs{draw(0, 0)};
  EXPECT_TRUE(componentwise_change(signs, {draw(5, 1), draw(1, inf), draw(4, 7), draw(2, 9), draw(3, 8)}).equal(draw(3, 8)));
  EXPECT_TRUE(componentwise_change(signs, {draw(9, 1), draw(1, 4), draw(2, 3), draw(8, 2)}).equal(draw(2, 2)));
  EXPECT_TRUE(componentwise_change({draw(6, 0), draw(0, 9)}, {draw(5, 1)}).equal(draw(6, 9)));
}

TEST(BudgetParts, MagnitudesAreOrderedWithInfinityAndNanLast) {
  const double inf = std::numeric_limits<double>::infinity();
  const at::Tensor r = at::tensor({-3.0, NAN, 1e-300, -inf, 0.5, -0.25, 1e30}, at::kDouble);
  EXPECT_TRUE(order_by_magnitude(r).equal(at::tensor({2, 5, 4, 0, 6, 3, 1}, at::kLong)));
}

TEST_F(BudgetTerm, ConditioningLetsAnotherOrderOfACancellingSumPass) {
  const Task task = local_task("t(Tensor a, Tensor b, Tensor c) -> Tensor",
                               [](const Args& t) -> Values { return {t.tensor("a") - t.tensor("b") + t.tensor("c")}; });
  const at::Tensor a = at::randn({4096}) + 1000, b = a + at::randn({4096}), c = at::randn({4096});
  const Sampling s(task, {a, b, c});
  const at::Tensor other_order = (a + c) - b;
  EXPECT_LE(s.ratio(other_order), 1);
  EXPECT_GT(s.ratio(other_order, {.conditioning = false}), 1);
  EXPECT_GT(s.ratio(bf16(a) - bf16(b) + bf16(c)), 1);
}

TEST_F(BudgetTerm, MagnitudeLetsAFewRoundingsPassWhereInputsDoNotMatter) {
  // Powers of 3 from integer exponents: nothing to perturb, and eager is exact.
  const Task task = local_task("t(Tensor k) -> Tensor", [](const Args& t) -> Values {
    const at::Tensor k = t.tensor("k");
    at::Tensor power = at::ones_like(k, at::kLong);
    for (int i = 0; i < 15; ++i) power = at::where(k > i, power * 3, power);
    return {power * at::ones({}, at::kFloat)};
  });
  at::Tensor k = at::zeros({4096}, at::kLong);
  k.slice(0, 0, 8).fill_(14);
  const Sampling s(task, {k});
  const at::Tensor by_exp = (k.to(at::kFloat) * std::log(3.0f)).exp();
  EXPECT_LE(s.ratio(by_exp), 1);
  EXPECT_GT(s.ratio(by_exp, {.magnitude = false}), 1);
  EXPECT_GT(s.ratio((k.to(at::kFloat) * bf16(at::tensor(std::log(3.0f)))).exp()), 1);
}

TEST_F(BudgetTerm, ScaleForgivesAbsoluteErrorNearZero) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& t) -> Values { return {at::expm1(t.tensor("x"))}; });
  const at::Tensor x = at::randn({65536});
  const Sampling s(task, {x});
  const at::Tensor by_exp = x.exp() - 1;
  EXPECT_LE(s.ratio(by_exp), 1);
  EXPECT_GT(s.ratio(by_exp, {.scale = false}), 1);
  EXPECT_GT(s.ratio(bf16(x).expm1()), 1);
}

Values gelu_by_erf(const Args& t) { return {at::gelu(t.tensor("x"))}; }

TEST_F(BudgetTerm, InnerErrorLetsEagersOwnCancellationPass) {
  const Task task = local_task("t(Tensor x) -> Tensor", gelu_by_erf);
  const at::Tensor x = at::cat({uniform({3000}, -6, -4), uniform({1000}, 0.5, 3)});
  const Sampling s(task, {x});
  EXPECT_LE(s.ratio(s.eager()), 1);
  EXPECT_GT(s.ratio(s.eager(), {.inner = false}), 1);
  EXPECT_GT(s.ratio(at::gelu(bf16(x))), 1);
}

TEST_F(BudgetTerm, AccumulationLetsASequentialSumPass) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& t) -> Values { return {t.tensor("x").sum(-1)}; });
  const at::Tensor x = uniform({4, 1 << 18}, 0, 1);
  const Sampling s(task, {x});
  at::Tensor sequential = at::zeros({4});
  const auto in = x.accessor<float, 2>();
  for (int64_t row = 0; row < 4; ++row) {
    volatile float sum = 0;
    for (int64_t i = 0; i < x.size(1); ++i) sum = sum + in[row][i];
    sequential[row] = sum;
  }
  EXPECT_LE(s.ratio(sequential), 1);
  EXPECT_GT(s.ratio(sequential, {.accumulation = false}), 1);
  at::Tensor narrow = at::zeros({4}, at::kBFloat16);
  for (int64_t i = 0; i < x.size(1); i += 512) narrow = narrow + x.narrow(1, i, 512).sum(-1).to(at::kBFloat16);
  EXPECT_GT(s.ratio(narrow), 1);
}

TEST_F(BudgetTerm, EagerErrorLetsRoundingBetweenStepsPassWhereEagerRounds) {
  const Task task = local_task("t(Tensor a, Tensor b, Tensor c) -> Tensor",
                               [](const Args& t) -> Values { return {t.tensor("a") * t.tensor("b") - t.tensor("c")}; });
  const at::Tensor a = at::randn({4096}).to(at::kBFloat16), b = at::randn({4096}).to(at::kBFloat16),
                   c = at::randn({4096}).to(at::kBFloat16);
  const Sampling s(task, {a, b, c});
  EXPECT_LE(s.ratio(s.eager()), 1);
  EXPECT_GT(s.ratio(s.eager(), {.eager = false}), 1);
  EXPECT_GT(s.ratio(a * b), 1);
}

TEST_F(BudgetTerm, OracleErrorLetsAResultPassThatIsBetterThanFloat64ByTheReference) {
  // 1 + erf(x) is 0 in float64 below -8.3; the complementary function knows better.
  const Task task = local_task("t(Tensor x) -> Tensor", gelu_by_erf);
  const at::Tensor x = at::cat({uniform({6000}, -9, -8.4), uniform({1000}, -6, -4), uniform({500}, 0.5, 3)});
  const Sampling s(task, {x});
  const at::Tensor wide = x.to(at::kDouble);
  const at::Tensor accurate = (wide * 0.5 * at::erfc(wide * -M_SQRT1_2)).to(at::kFloat);
  EXPECT_LE(s.ratio(accurate), 1);
  EXPECT_GT(s.ratio(accurate, {.oracle = false}), 1);
  EXPECT_GT(s.ratio(at::gelu(bf16(x))), 1);
}

TEST_F(BudgetTerm, DriftLetsTensorCoresPassThatTruncateWhenTheyAdd) {
  const Task task = local_task("t(Tensor a, Tensor b) -> Tensor",
                               [](const Args& t) -> Values { return {at::matmul(t.tensor("a"), t.tensor("b"))}; });
  const int64_t rows = 16, depth = 16384, step = 8;
  const at::Tensor a = uniform({rows, depth}, 0, 1).to(at::kHalf), b = uniform({depth, rows}, 0, 1).to(at::kHalf);
  const Sampling s(task, {a, b});
  at::Tensor truncated = at::zeros({rows, rows}, at::kDouble), half = at::zeros({rows, rows}, at::kHalf);
  for (int64_t k = 0; k < depth; k += step) {
    const at::Tensor product = at::matmul(a.narrow(1, k, step).to(at::kDouble), b.narrow(0, k, step).to(at::kDouble));
    truncated = truncate_significand(truncated + product, 24);
    half = half + product.to(at::kHalf);
  }
  const at::Tensor delivered = round_to(truncated, at::kHalf).to(at::kHalf);
  EXPECT_LE(s.ratio(delivered), 1);
  EXPECT_GT(s.ratio(delivered, {.drift = false}), 1);
  EXPECT_GT(s.ratio(half), 1);
}

TEST_F(BudgetTerm, FloorLetsFlushedSubnormalsPassAndNothingLarger) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& t) -> Values { return {t.tensor("x").exp()}; });
  const at::Tensor x = uniform({4096}, -100, -84);
  const Sampling s(task, {x});
  const at::Tensor value = s.eager();
  const auto flushed_below = [&](double limit) { return at::where(value.abs() < limit, at::zeros_like(value), value); };
  EXPECT_LE(s.ratio(flushed_below(0x1p-126)), 1);
  EXPECT_GT(s.ratio(flushed_below(0x1p-126), {.floor = false}), 1);
  EXPECT_GT(s.ratio(flushed_below(0x1p-124)), 1);
}

}  // namespace
}  // namespace kbx
