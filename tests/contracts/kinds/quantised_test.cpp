// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/quantised.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/task.h"
#include "kinds/calls.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;

at::Tensor random(at::IntArrayRef shape, uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

// The scheme element by element in long double, independent of the judge's matrix form.
at::Tensor scheme(const at::Tensor& input, const at::Tensor& weight) {
  const int64_t m = input.size(0), k = input.size(1), n = weight.size(1);
  const auto x = input.accessor<float, 2>(), w = weight.accessor<float, 2>();
  at::Tensor out = at::empty({m, n}, at::kDouble);
  auto y = out.accessor<double, 2>();
  const auto quantise = [](float value, float absmax) { return absmax == 0 ? 0L : std::lrint(value * 127.0L / absmax); };
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float row = 0, column = 0;
      for (int64_t c = 0; c < k; ++c) row = std::max(row, std::abs(x[i][c])), column = std::max(column, std::abs(w[c][j]));
      long sum = 0;
      for (int64_t c = 0; c < k; ++c) sum += quantise(x[i][c], row) * quantise(w[c][j], column);
      y[i][j] = static_cast<double>((row / 127.0L) * (column / 127.0L) * sum);
    }
  return out;
}

struct Product {
  at::Tensor input, weight;
  Call call;
  Expected expected;

  Product(const at::Tensor& x, const at::Tensor& w) : input(x), weight(w) {
    call.task = find_task("matmul_w8a8");
    call.arguments = {testing::tensor_argument("input", x), testing::tensor_argument("weight", w)};
    const at::Tensor value = scheme(x, w);
    expected.outputs = {testing::truth("result", value.to(at::kFloat), value)};
  }
  Judgement judge(const at::Tensor& y) const { return judge_quantised(call, expected, 0, delivered(y), {}); }
};

enum class Rounding { even, away, floor_half };
at::Tensor rounded(const at::Tensor& q, Rounding how) {
  switch (how) {
    case Rounding::even:
      return q.round();
    case Rounding::away:
      return q.sign() * (q.abs() + 0.5).floor();
    case Rounding::floor_half:
      return (q + 0.5).floor();
  }
  return q;
}

// A kernel's arithmetic in float32: reciprocal or division, any tie rule, scales over `x_dims` and `w_dims`.
at::Tensor kernel(const at::Tensor& x, const at::Tensor& w, Rounding how, bool reciprocal, std::vector<int64_t> x_dims = {1},
                  std::vector<int64_t> w_dims = {0}) {
  const auto quantised = [&](const at::Tensor& t, const at::Tensor& scale) {
    return rounded(reciprocal ? t * (1 / scale) : t / scale, how);
  };
  const at::Tensor sx = x.abs().amax(x_dims, true) / 127, sw = w.abs().amax(w_dims, true) / 127;
  const at::Tensor sum = at::matmul(quantised(x, sx).to(at::kLong), quantised(w, sw).to(at::kLong)).to(at::kFloat);
  return reciprocal ? sum * sx * sw : sum * (sx * sw);
}

std::vector<Product> tasks() {
  at::Tensor outliers = random({32, 256}, 3);
  outliers[5][17] = 50 * outliers[5][17];
  return {Product(random({32, 256}, 1), random({256, 128}, 2)), Product(random({7, 33}, 1), random({33, 5}, 2)),
          Product(outliers, random({256, 128}, 4)), Product(random({16, 64}, 1) * 1e-20, random({64, 16}, 2) * 1e20),
          Product(at::tensor({1.f, 2.f}).view({1, 2}), at::tensor({1.f, 0.f, -1.f, 2.f, 0.f, 3.f}).view({2, 3}))};
}

TEST(Quantised, EveryHonestWayToScaleAndRoundPasses) {
  for (const Product& task : tasks())
    for (const Rounding how : {Rounding::even, Rounding::away, Rounding::floor_half})
      for (const bool reciprocal : {false, true}) {
        const Judgement judgement = task.judge(kernel(task.input, task.weight, how, reciprocal));
        EXPECT_TRUE(judgement.passed) << detail(judgement);
      }
}

// Small integers over an absmax of 254 sit on ties by the dozen.
TEST(Quantised, ManyExactTiesMayGoEitherWay) {
  at::Tensor x = at::randint(-127, 127, {16, 64}, at::make_generator<at::CPUGeneratorImpl>(1), at::kFloat);
  x.select(1, 0).fill_(254);
  const Product task(x, random({64, 16}, 2));
  for (const Rounding how : {Rounding::even, Rounding::away, Rounding::floor_half})
    EXPECT_TRUE(task.judge(kernel(x, task.weight, how, true)).passed);
}

TEST(Quantised, TheUnquantisedProductFailsAndIsNamed) {
  const Product task = tasks()[0];
  const Judgement judgement = task.judge(at::matmul(task.input, task.weight));
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("unquantised result"), std::string::npos) << detail(judgement);
}

TEST(Quantised, TheWrongGranularityFailsAndIsNamed) {
  const Product task = tasks()[0];
  const auto judge = [&](std::vector<int64_t> x_dims, std::vector<int64_t> w_dims) {
    const Judgement judgement =
        task.judge(kernel(task.input, task.weight, Rounding::even, false, std::move(x_dims), std::move(w_dims)));
    return judgement.passed ? std::string("passed") : detail(judgement);
  };
  EXPECT_NE(judge({0, 1}, {0, 1}).find("both operands"), std::string::npos);
  EXPECT_NE(judge({0, 1}, {0}).find("left operand has one scale"), std::string::npos);
  EXPECT_NE(judge({1}, {0, 1}).find("right operand has one scale"), std::string::npos);
}

TEST(Quantised, HalfQuantisedAndTruncatedFail) {
  const Product task = tasks()[0];
  const at::Tensor sx = task.input.abs().amax({1}, true) / 127, sw = task.weight.abs().amax({0}, true) / 127;
  EXPECT_NE(detail(task.judge(at::matmul((task.input / sx).round() * sx, task.weight))).find("right operand is not"),
            std::string::npos);
  EXPECT_NE(detail(task.judge(at::matmul((task.input / sx).trunc(), (task.weight / sw).trunc()) * sx * sw)).find("truncated"),
            std::string::npos);
}

TEST(Quantised, A128LevelScaleFails) {
  const Product task = tasks()[0];
  const at::Tensor sx = task.input.abs().amax({1}, true) / 128, sw = task.weight.abs().amax({0}, true) / 128;
  const at::Tensor y =
      at::matmul((task.input / sx).round().clamp(-128, 127), (task.weight / sw).round().clamp(-128, 127)) * sx * sw;
  EXPECT_FALSE(task.judge(y).passed);
}

TEST(Quantised, AccumulationInHalfPrecisionFails) {
  const Product task = tasks()[0];
  const at::Tensor sx = task.input.abs().amax({1}, true) / 127, sw = task.weight.abs().amax({0}, true) / 127;
  const at::Tensor sum = at::matmul((task.input / sx).round(), (task.weight / sw).round());
  EXPECT_FALSE(task.judge(sum.to(at::kHalf).to(at::kFloat) * sx * sw).passed);
}

TEST(Quantised, OneFlippedStepThatIsNoTieFails) {
  const Product task = tasks()[1];
  const at::Tensor sx = task.input.abs().amax({1}, true) / 127, sw = task.weight.abs().amax({0}, true) / 127;
  at::Tensor q = (task.input / sx).round();
  q[2][9] += 1;
  EXPECT_FALSE(task.judge(at::matmul(q, (task.weight / sw).round()) * sx * sw).passed);
}

TEST(Quantised, ZeroRowsAndColumnsPass) {
  at::Tensor x = random({8, 16}, 1), w = random({16, 8}, 2);
  x[3].zero_();
  w.select(1, 4).zero_();
  const Product task(x, w);
  at::Tensor y = task.expected.outputs[0].value.to(at::kFloat);
  EXPECT_TRUE(task.judge(y).passed);
  y[3][0] = std::nanf("");  // 0 / 0
  EXPECT_FALSE(task.judge(y).passed);
}

TEST(Quantised, LazyAnswersFail) {
  const Product task = tasks()[0];
  const at::Tensor y = task.expected.outputs[0].value.to(at::kFloat);
  EXPECT_TRUE(task.judge(y).passed);
  EXPECT_FALSE(task.judge(at::zeros_like(y)).passed);
  EXPECT_FALSE(task.judge(at::ones_like(y)).passed);
  EXPECT_FALSE(task.judge(at::full_like(y, y.mean().item<float>())).passed);
  EXPECT_FALSE(task.judge(scheme(random({32, 256}, 8), random({256, 128}, 9)).to(at::kFloat)).passed);
  EXPECT_FALSE(task.judge(y.flip(0)).passed);
  EXPECT_FALSE(task.judge(y.t().contiguous()).passed);
  EXPECT_FALSE(task.judge(y.to(at::kDouble)).passed);
  at::Tensor block = y.clone();
  block.narrow(0, 16, 16).narrow(1, 64, 64).zero_();
  const Judgement judgement = task.judge(block);
  ASSERT_FALSE(judgement.passed);
  EXPECT_LE(judgement.findings[0].wrong_elements, 16 * 64);
  EXPECT_GE(judgement.findings[0].wrong_elements, 16 * 64 - 2);
}

}  // namespace
}  // namespace kbx
