// SPDX-License-Identifier: Apache-2.0
// Contract `jump`: free where rounding decides a sign, strict everywhere else.
#include "oracle/kinds/jump.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::judge;

// x moved against the sign of a + b.
const Task kTask = [] {
  Task task = testing::local_task(
      "t(Tensor x, Tensor a, Tensor b) -> Tensor",
      [](const Args& args) -> Values { return {args.tensor("x") - (args.tensor("a") + args.tensor("b")).sign()}; }, {Jump{}});
  task.jump = [](const Args& args) -> Values {
    const at::Tensor x = args.tensor("x");
    return {args.tensor("a") + args.tensor("b"), x + 1, x, x - 1};
  };
  return task;
}();

class JumpContract : public ::testing::Test {
 protected:
  void SetUp() override {
    at::manual_seed(3);
    x = at::randn({64});
    a = at::randn({64});
    b = at::randn({64});
    b[5] = a[5] * -(1 + 0x1p-22);  // the sum is within what rounding makes of it
  }
  at::Tensor right() const { return x - (a + b).sign(); }
  Judgement judged(const at::Tensor& y) const { return judge(call_of(kTask, {x, a, b}), y); }
  at::Tensor x, a, b;
};

TEST_F(JumpContract, EverySideOfACancellingSumIsRightAndNothingBetween) {
  for (const double step : {-1.0, 0.0, 1.0}) {
    at::Tensor y = right();
    y[5] = x[5] - step;
    EXPECT_TRUE(judged(y).passed) << step;
  }
  at::Tensor y = right();
  y[5] = x[5] + 0.5;
  EXPECT_FALSE(judged(y).passed);
}

TEST_F(JumpContract, AFlipElsewhereIsWrongAndATieDoesNotOpenItsNeighbours) {
  EXPECT_TRUE(judged(right()).passed);
  for (const int64_t i : {int64_t{4}, int64_t{6}, int64_t{63}}) {
    at::Tensor y = right();
    y[i] = 2 * x[i] - y[i];
    const Judgement j = judged(y);
    ASSERT_FALSE(j.passed) << i;
    EXPECT_EQ(j.findings[0].where, std::vector<int64_t>{i});
    y = right();
    y[i] += 1e-4;
    EXPECT_FALSE(judged(y).passed) << i;
  }
}

// A parameter without gradient and momentum must stay where it is: 0 + 0 is no matter of rounding.
TEST_F(JumpContract, AnExactZeroIsNotFree) {
  a[7] = 0;
  b[7] = 0;
  EXPECT_TRUE(judged(right()).passed);
  at::Tensor y = right();
  y[7] = x[7] - 1;
  EXPECT_FALSE(judged(y).passed);
}

TEST(JumpSign, SignBitOfACosineIsFreeNearItsZeroAndAtNaN) {
  Task task = testing::local_task("t(Tensor x) -> (Tensor, Tensor)",
                                  [](const Args& args) -> Values {
                                    return {args.tensor("x").cos(), args.tensor("x").cos().signbit()};
                                  },
                                  {Numeric{}, Jump{}});
  task.jump = [](const Args& args) -> Values {
    const at::Tensor cosine = args.tensor("x").cos();
    return {cosine, at::zeros_like(cosine, at::kBool), at::ones_like(cosine, at::kBool)};
  };
  // The float32 numbers on both sides of pi/2, one that is clearly off, and infinity.
  const float half_pi = static_cast<float>(std::numbers::pi / 2);
  const at::Tensor x = at::tensor({half_pi, std::nextafter(half_pi, 0.0f), 1.57f, INFINITY});
  const Call call = call_of(task, {x});
  const Expected expected = consult_oracle(call);
  for (const int64_t i : {0, 1, 2, 3}) {
    at::Tensor sign = x.cos().signbit();
    EXPECT_TRUE(judge(call, expected, {x.cos(), sign}).passed);
    sign[i] = !sign[i].item<bool>();
    EXPECT_EQ(judge(call, expected, {x.cos(), sign}).passed, i != 2) << i;
  }
}

}  // namespace
}  // namespace kbx
