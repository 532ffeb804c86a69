// SPDX-License-Identifier: Apache-2.0
#include "contracts/numeric.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/accuracy.h"
#include "contracts/exact.h"

namespace kbx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

at::Tensor real(std::vector<double> values) { return at::tensor(values, at::kDouble); }

bool accepts(double y, double truth, double budget, at::ScalarType type = at::kFloat, double eager = 0) {
  const Comparison c = compare_numeric(real({y}).to(type), real({truth}), real({budget}), real({eager}).to(type));
  EXPECT_EQ(c.passed(), c.ratio <= 1);
  return c.passed();
}

TEST(Numeric, NanPassesOnlyForNan) {
  EXPECT_TRUE(accepts(kNan, kNan, 1));
  EXPECT_FALSE(accepts(kNan, 1, 1e30));
  EXPECT_FALSE(accepts(kNan, kInfinity, 1));
  EXPECT_FALSE(accepts(1, kNan, 1e30));
  EXPECT_FALSE(accepts(kInfinity, kNan, 1));
}

TEST(Numeric, NanBudgetForgivesNothing) { EXPECT_FALSE(accepts(1, 1.5, kNan)); }

TEST(Numeric, InfinityPassesOnlyForTheSameInfinity) {
  EXPECT_TRUE(accepts(-kInfinity, -kInfinity, 1));
  EXPECT_FALSE(accepts(kInfinity, -kInfinity, 1));
  EXPECT_FALSE(accepts(3e38, kInfinity, 1));
  EXPECT_FALSE(accepts(kInfinity, 3e38, 1));
}

TEST(Numeric, NearOverflowBothNeighboursPassWithinTheBudget) {
  // fp16 goes over to infinity at 65520.
  EXPECT_TRUE(accepts(kInfinity, 65519, 2, at::kHalf));
  EXPECT_TRUE(accepts(65504, 65519, 2, at::kHalf));
  EXPECT_TRUE(accepts(65504, 65521, 2, at::kHalf));
  EXPECT_FALSE(accepts(kInfinity, 65519, 0.5, at::kHalf));
  EXPECT_FALSE(accepts(-kInfinity, 65519, 2, at::kHalf));
  EXPECT_TRUE(accepts(kInfinity, 1e39, 1));
}

TEST(Numeric, EagersOverflowMayBeSharedButNotTurnedIntoNan) {
  EXPECT_TRUE(accepts(kInfinity, 100, 0.1, at::kHalf, kInfinity));
  EXPECT_TRUE(accepts(100, 100, 0.1, at::kHalf, kInfinity));
  EXPECT_FALSE(accepts(kNan, 100, 0.1, at::kHalf, kInfinity));
  EXPECT_FALSE(accepts(-kInfinity, 100, 0.1, at::kHalf, kInfinity));
  EXPECT_FALSE(accepts(101, 100, 0.1, at::kHalf, kInfinity));
  // gelu(inf) is NaN in torch's vectorised float32 code.
  EXPECT_TRUE(accepts(kNan, kInfinity, 1, at::kFloat, kNan));
  EXPECT_TRUE(accepts(kInfinity, kInfinity, 1, at::kFloat, kNan));
  EXPECT_FALSE(accepts(1, kInfinity, 1, at::kFloat, 1));
}

TEST(Numeric, HalfAStepOfTheOutputIsFreeAndTheBudgetComesOnTop) {
  EXPECT_TRUE(accepts(1, 1 + 0x1p-24, 0x1p-40));
  EXPECT_FALSE(accepts(1, 1 + 0x1p-23, 0x1p-40));
  EXPECT_TRUE(accepts(1, 1 + 0x1p-23, 0x1p-23));
}

TEST(Numeric, WorstElementIsFoundInAStridedOutput) {
  const at::Tensor truth = at::ones({3, 4}, at::kDouble);
  at::Tensor y = at::ones({4, 3}).t();
  y[1][2] = 2;
  y[2][3] = 5;
  const Comparison c = compare_numeric(y, truth, truth * 0.5, {});
  EXPECT_EQ(c.wrong_elements, 2);
  EXPECT_EQ(c.elements, 12);
  EXPECT_EQ(c.where, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(c.actual, 5);
  EXPECT_EQ(c.expected, 1);
  EXPECT_EQ(c.budget, 0.5);
  EXPECT_TRUE(c.wrong[1][2].item<bool>() && !c.wrong[2][2].item<bool>());
}

TEST(Numeric, LastElementOfALargeOutputIsCompared) {
  const int64_t count = (int64_t{1} << 22) + 3;
  const at::Tensor truth = at::ones({count}, at::kDouble);
  at::Tensor y = at::ones({count});
  y[count - 1] = 2;
  const Comparison c = compare_numeric(y, truth, truth * 0.5, {});
  EXPECT_EQ(c.where, std::vector<int64_t>{count - 1});
  EXPECT_EQ(c.wrong.sizes(), truth.sizes());
  EXPECT_EQ(c.wrong_elements, 1);
}

// Budgets repeat after 7 elements, and 2^k is no multiple of 7: that of another chunk is another one.
TEST(Numeric, EachElementOfALargeOutputIsHeldToItsOwnBudget) {
  const int64_t border = int64_t{1} << 21, count = border + 3;
  const at::Tensor budget = at::arange(count, at::kDouble).remainder(7).add(1).mul(0.01), truth = at::ones({count}, at::kDouble);
  at::Tensor y = at::ones({count});
  EXPECT_TRUE(compare_numeric(y, truth, budget, {}).rounded);
  for (const int64_t at : {int64_t{0}, border - 1, border, count - 1}) {
    const double own = budget[at].item<double>();
    y[at] = 1 + 0.9 * own;
    const Comparison within = compare_numeric(y, truth, budget, {});
    EXPECT_TRUE(within.passed());
    EXPECT_NEAR(within.ratio, 0.9, 1e-4);
    EXPECT_FALSE(within.rounded);
    y[at] = 1 + 1.01 * own;
    EXPECT_EQ(compare_numeric(y, truth, budget, {}).where, std::vector<int64_t>{at});
    y[at] = kNan;
    EXPECT_EQ(compare_numeric(y, truth, budget, {}).where, std::vector<int64_t>{at});
    y[at] = 1;
  }
}

// A vectorised maximum that prefers numbers would lose it in one lane or another.
TEST(Numeric, NanPassesInNoLane) {
  for (const int64_t count : {2, 9, 33, 1000}) {
    const at::Tensor truth = at::ones({count}, at::kDouble);
    for (int64_t at = 0; at < std::min<int64_t>(count, 40); ++at)
      for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
        at::Tensor y = at::ones({count}, type);
        y[at] = kNan;
        const Comparison c = compare_numeric(y, truth, truth, {});
        EXPECT_EQ(c.wrong_elements, 1) << count << " " << at << " " << type;
        EXPECT_EQ(compare_exact(y, truth).wrong_elements, 1);
      }
  }
}

TEST(Exact, EachElementOfALargeOutputIsCompared) {
  const int64_t border = int64_t{1} << 21, count = border + 3;
  const at::Tensor truth = at::zeros({count}, at::kLong), free_steps = at::zeros({count}, at::kDouble);
  at::Tensor y = truth.clone();
  EXPECT_TRUE(compare_exact(y, truth).rounded && compare_integers(y, truth, free_steps).rounded);
  for (const int64_t at : {int64_t{0}, border - 1, border, count - 1}) {
    y[at] = 1;
    EXPECT_EQ(compare_exact(y, truth).where, std::vector<int64_t>{at});
    EXPECT_EQ(compare_integers(y, truth, free_steps).where, std::vector<int64_t>{at});
    y[at] = 0;
  }
}

TEST(Numeric, ImaginaryPartCounts) {
  const at::Tensor truth = at::complex(real({1, 2}), real({3, 4}));
  at::Tensor y = truth.to(at::kComplexFloat);
  EXPECT_TRUE(compare_numeric(y, truth, real({1e-9, 1e-9}), y).passed());
  y = at::complex(at::tensor({1.f, 2.f}), at::tensor({3.f, 5.f}));
  const Comparison c = compare_numeric(y, truth, real({1e-9, 1e-9}), {});
  EXPECT_EQ(c.wrong_elements, 1);
  EXPECT_EQ(c.elements, 2);
  EXPECT_EQ(c.where, std::vector<int64_t>{1});
  EXPECT_EQ(c.actual, 5);
  EXPECT_FALSE(compare_exact(y, truth).passed());
}

TEST(Numeric, NothingToCompareIsAccepted) {
  EXPECT_TRUE(compare_numeric(at::empty({0, 3}), at::empty({0, 3}, at::kDouble), at::empty({0, 3}, at::kDouble), {}).passed());
  EXPECT_TRUE(compare_exact(at::empty({0}), at::empty({0}, at::kDouble)).passed());
}

TEST(Exact, OneStepOffIsWrongAndSignedZeroIsFree) {
  EXPECT_TRUE(compare_exact(at::tensor({-0.0f, 1.0f}), real({0, 1})).passed());
  EXPECT_TRUE(compare_exact(real({kNan}).to(at::kFloat), real({kNan})).passed());
  EXPECT_FALSE(compare_exact(at::tensor({1 + 0x1p-23f}), real({1})).passed());
  EXPECT_FALSE(compare_exact(real({kNan}).to(at::kFloat), real({1})).passed());
}

TEST(Exact, TruthIsRoundedOnce) {
  const at::Tensor truth = real({1 + 0x1p-11 + 0x1p-40});
  EXPECT_TRUE(compare_exact(real({1 + 0x1p-10}).to(at::kHalf), truth).passed());
  EXPECT_FALSE(compare_exact(real({1}).to(at::kHalf), truth).passed());
}

TEST(Exact, LargeIntegersDifferInTheLastDigit) {
  const int64_t large = (int64_t{1} << 60) + 1;
  EXPECT_FALSE(compare_exact(at::tensor({large}), at::tensor({large - 1})).passed());
  EXPECT_FALSE(compare_exact(at::ones({1}, at::kBool), at::zeros({1}, at::kBool)).passed());
}

TEST(Exact, IntegersMayMoveOneStepOnTiesOnly) {
  const at::Tensor truth = at::tensor({5, 5, 5}, at::kInt), ties = real({1, 1, 0});
  EXPECT_TRUE(compare_integers(at::tensor({6, 4, 5}, at::kInt), truth, ties).passed());
  EXPECT_FALSE(compare_integers(at::tensor({7, 5, 5}, at::kInt), truth, ties).passed());
  EXPECT_FALSE(compare_integers(at::tensor({5, 5, 6}, at::kInt), truth, ties).passed());
  const int64_t least = std::numeric_limits<int64_t>::min(), largest = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(compare_integers(at::tensor({least}), at::tensor({largest}), real({1})).passed());
}

TEST(AccuracyClass, RepresentableShareAndBits) {
  const at::Tensor x = at::randn({1000});
  EXPECT_GT(share_representable(x.to(at::kBFloat16), at::kBFloat16), 0.999);
  EXPECT_LT(share_representable(x, at::kBFloat16), 0.01);
  EXPECT_EQ(accuracy_of_bits(18, at::kFloat), Accuracy::poor);
  EXPECT_EQ(accuracy_of_bits(12, at::kFloat), Accuracy::tf32);
  EXPECT_EQ(accuracy_of_bits(12, at::kHalf), Accuracy::fp16);
  EXPECT_EQ(accuracy_of_bits(5, at::kFloat), Accuracy::bf16);
  EXPECT_EQ(accuracy_of_bits(3.9, at::kFloat), Accuracy::wrong);
  EXPECT_EQ(accuracy_of_bits(kNan, at::kFloat), Accuracy::wrong);
}

TEST(AccuracyClass, FitTakesOutACommonFactorWhereNoElementDominates) {
  at::manual_seed(2);
  const at::Tensor truth = at::empty({1000}, at::kDouble).uniform_(0.9, 1.1);
  const at::Tensor cut = truth * (1 + at::randn({1000}, at::kDouble) * 1e-4), y = cut * (1 - 1e-3);
  const auto ratios = [](const at::Tensor& t, const at::Tensor& right, const at::Tensor& explained) {
    return residual_ratios(t, right, {explained}).at(0);
  };
  EXPECT_GT(ratios(y, truth, cut).plain, 0.9);
  EXPECT_LT(ratios(y, truth, cut).fitted, 1e-6);
  at::Tensor dominated = truth.clone();
  dominated[0] = 100;
  EXPECT_EQ(ratios(y, dominated, cut).fitted, 1);
  EXPECT_EQ(ratios(y.narrow(0, 0, 15), truth.narrow(0, 0, 15), cut.narrow(0, 0, 15)).fitted, 1);
}

// Elements that are not finite anywhere in a row say nothing in that row, and leave the others alone.
TEST(AccuracyClass, ExplanationsBesideEachOtherDoNotMix) {
  at::manual_seed(3);
  const at::Tensor truth = at::randn({1000}, at::kDouble), y = truth + 1e-3 * at::randn({1000}, at::kDouble);
  at::Tensor half = (y + truth) / 2, broken = half.clone();
  broken[7] = kInfinity;
  const auto ratios = residual_ratios(y, truth, {y, broken, half, truth});
  ASSERT_EQ(ratios.size(), 4u);
  EXPECT_EQ(ratios[0].plain, 0);
  EXPECT_NEAR(ratios[1].plain, 0.5, 1e-9);
  EXPECT_NEAR(ratios[2].plain, 0.5, 1e-9);
  EXPECT_NEAR(ratios[3].plain, 1, 1e-12);
  EXPECT_TRUE(std::isnan(residual_ratios(truth, truth, {y}).at(0).plain) ||
              residual_ratios(truth, truth, {y}).at(0).plain > 1e300);
}

}  // namespace
}  // namespace kbx
