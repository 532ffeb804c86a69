// SPDX-License-Identifier: Apache-2.0
#include "contracts/rounding.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kbx {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor real(std::vector<double> values) { return at::tensor(values, at::kDouble); }
double round_one(double x, at::ScalarType type) { return round_to(real({x}), type).item<double>(); }
double excess_one(double y, double r, at::ScalarType type) { return excess(real({y}).to(type), real({r})).item<double>(); }

TEST(Rounding, GoesFromDoubleToSixteenBitsInOneStep) {
  // Just above the tie between 1 and 1 + 2^-10: by way of float32 it would fall onto the tie and then to even, 1.
  const double above_tie = 1 + 0x1p-11 + 0x1p-40;
  ASSERT_EQ(real({above_tie}).to(at::kHalf).item<double>(), 1);
  EXPECT_EQ(round_one(above_tie, at::kHalf), 1 + 0x1p-10);
  EXPECT_EQ(round_one(1 + 0x1p-8 + 0x1p-40, at::kBFloat16), 1 + 0x1p-7);
}

TEST(Rounding, BreaksTiesToEven) {
  EXPECT_EQ(round_one(1 + 0x1p-24, at::kFloat), 1);
  EXPECT_EQ(round_one(1 + 3 * 0x1p-24, at::kFloat), 1 + 0x1p-22);
  EXPECT_EQ(round_one(-(1 + 0x1p-11), at::kHalf), -1);
}

TEST(Rounding, KeepsSubnormalSpacing) {
  EXPECT_EQ(round_one(0x1p-149 * 1.25, at::kFloat), 0x1p-149);
  EXPECT_EQ(round_one(0x1p-24 * 2.75, at::kHalf), 3 * 0x1p-24);
  EXPECT_EQ(round_one(0x1p-26, at::kHalf), 0);
}

TEST(Rounding, OverflowsWhereHalfTheLastStepIsReached) {
  EXPECT_EQ(round_one(65519.999, at::kHalf), 65504);
  EXPECT_EQ(round_one(65520, at::kHalf), kInfinity);
  EXPECT_EQ(round_one(-65520, at::kHalf), -kInfinity);
  EXPECT_EQ(round_one(1e39, at::kFloat), kInfinity);
  EXPECT_TRUE(std::isnan(round_one(std::nan(""), at::kFloat)));
}

TEST(Rounding, AgreesWithTheHardwareInFloat32) {
  const at::Tensor x = at::randn({100000}, at::kDouble).mul_(at::randn({100000}, at::kDouble).mul_(40).exp2());
  EXPECT_TRUE(at::equal(round_to(x, at::kFloat), x.to(at::kFloat).to(at::kDouble)));
}

TEST(Rounding, HalfUlpIsThatOfTheTypeAtTheValue) {
  EXPECT_EQ(half_ulp(real({1}), at::kFloat).item<double>(), 0x1p-24);
  EXPECT_EQ(half_ulp(real({1.5}), at::kBFloat16).item<double>(), 0x1p-8);
  EXPECT_EQ(half_ulp(real({4}), at::kBFloat16).item<double>(), 0x1p-6);
  EXPECT_EQ(half_ulp(real({0}), at::kHalf).item<double>(), 0x1p-25);
  EXPECT_EQ(half_ulp(real({0}), at::kFloat).item<double>(), 0x1p-150);
  EXPECT_EQ(half_ulp(real({-3}), at::kDouble).item<double>(), 0x1p-52);
}

// Zero, the least subnormal and normal numbers, a power of two and its lower neighbour, the largest number, infinity.
TEST(Rounding, HalfUlpOfNumbersInTheirOwnTypeIsTheSame) {
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    const FloatFormat f = float_format(type);
    const double least = std::ldexp(1.0, f.least_exponent),
                 largest = std::ldexp(2 - std::ldexp(1.0, 1 - f.digits), 1 - f.least_exponent);
    const at::Tensor wide =
        at::tensor({0.0, -std::ldexp(least, 1 - f.digits), least, 1.0, -(1 - std::ldexp(1.0, -f.digits)), largest}, at::kDouble);
    EXPECT_TRUE(half_ulp_plus(wide.to(type), 0).equal(half_ulp(wide, type))) << type;
    EXPECT_TRUE(half_ulp_plus(wide.to(type), 0.25).equal(half_ulp(wide, type) + 0.25)) << type;
  }
  EXPECT_EQ(half_ulp_plus(at::ones({}), 0).dim(), 0);
}

TEST(Rounding, ExcessIsZeroExactlyInTheCell) {
  EXPECT_EQ(excess_one(1, 1 + 0x1p-11, at::kHalf), 0);
  EXPECT_NEAR(excess_one(1, 1 + 0x1p-10, at::kHalf), 0x1p-11, 1e-12);
  EXPECT_TRUE(std::isnan(excess_one(std::nan(""), 1, at::kFloat)));
  EXPECT_TRUE(std::isnan(excess_one(1, std::nan(""), at::kFloat)));
}

TEST(Rounding, SignificandIsCutToTheNearestOrTruncated) {
  const double x = -(1 + 0x1p-10 + 0x1p-11 + 0x1p-20);
  EXPECT_EQ(round_significand(real({x}), 11).item<double>(), -(1 + 0x1p-9));
  EXPECT_EQ(truncate_significand(real({x}), 11).item<double>(), -(1 + 0x1p-10));
  // TF32 keeps float32's range, where fp16 has none of it left.
  EXPECT_NEAR(round_significand(real({1e30}), 11).item<double>(), 1e30, 1e30 * 0x1p-11);
}

}  // namespace
}  // namespace kbx
