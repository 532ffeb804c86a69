// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/stochastic.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "catalogue/cases.h"
#include "kinds/calls.h"
#include "oracle/kinds/uniform_tests.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;

constexpr uint64_t kSeedA = 0x9e3779b97f4a7c15, kSeedB = 0xc2b2ae3d27d4eb4f;

// What a candidate does with one seed.
using Generator = std::function<at::Tensor(uint64_t)>;

Judgement judge(at::IntArrayRef shape, at::ScalarType dtype, const at::Tensor& a, const at::Tensor& b, const at::Tensor& again) {
  Expected expected;
  const at::Tensor eager = at::empty(shape, dtype);
  expected.outputs = {testing::truth("result", eager, eager.to(at::kDouble))};
  return judge_stochastic(Call{}, expected, {{delivered(a)}, {delivered(b)}, {delivered(again)}}, {Distribution::uniform});
}

Judgement judge(const Generator& generate, uint64_t a = kSeedA, uint64_t b = kSeedB) {
  const at::Tensor first = generate(a);
  return judge(first.sizes(), first.scalar_type(), first, generate(b), generate(a));
}

at::Tensor torch_rand(at::IntArrayRef shape, at::ScalarType dtype, uint64_t seed) {
  return at::rand(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions(dtype));
}
Generator torch(std::vector<int64_t> shape, at::ScalarType dtype = at::kFloat) {
  return [=](uint64_t seed) { return torch_rand(shape, dtype, seed); };
}

const std::vector<int64_t> kShape{128, 256};

at::Tensor filled(at::IntArrayRef shape, at::ScalarType dtype, const std::function<double()>& next) {
  at::Tensor x = at::empty(shape, at::kDouble);
  double* data = x.mutable_data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i) data[i] = next();
  return x.to(dtype);
}

// Over all cases of a task that leave something to chance.
TEST(Stochastic, AnHonestCandidateIsRejectedOnceInAMillionAtMost) {
  for (const Task& task : catalogue()) {
    const auto* contract = std::get_if<Stochastic>(&task.contract.front());
    if (!contract) continue;
    const double of_a_case = contract->distribution == Distribution::uniform ? kStochasticFalseAlarm : kMaskFalseAlarm;
    double rate = 0;
    for (const Case& c : cases_of(task, 1)) {
      if (c.raises) continue;
      const Result<Call> call = bind(task, c, 1, at::kCPU);
      ASSERT_TRUE(call.ok()) << task.id << ": " << c.line;
      if (is_random(*call)) rate += of_a_case;
    }
    EXPECT_GT(rate, 0) << task.id;
    EXPECT_LE(rate, 1e-6) << task.id;
  }
}

TEST(Uniform, TorchPassesInEveryTypeAndShape) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16})
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{}, {1}, {2, 3}, {100}, {128, 256}, {7, 31, 5}, {0, 4}, {1 << 16}}) {
      const Judgement judgement = judge(torch(shape, dtype));
      EXPECT_TRUE(judgement.passed) << dtype << shape << detail(judgement);
      EXPECT_LE(judgement.ratio, 1);
    }
}

// The false-alarm rate cannot be seen, but far weaker alarms can: of 200 honest judgements none may come near the border.
TEST(Uniform, HonestNumbersStayFarFromTheThreshold) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    worst = std::max(worst, judge(torch({64, 64}), 2 * seed, 2 * seed + 1).ratio);
    worst = std::max(worst, judge(torch({1000}, at::kHalf), 2 * seed, 2 * seed + 1).ratio);
  }
  EXPECT_LT(worst, 0.75);
  EXPECT_GT(worst, 0.3);
}

TEST(Uniform, OtherHonestGeneratorsPass) {
  const auto check = [](const char* name, const Generator& g) {
    const Judgement judgement = judge(g);
    EXPECT_TRUE(judgement.passed) << name << ": " << detail(judgement);
  };
  check("mt19937, 53 bits", [](uint64_t seed) {
    return filled(kShape, at::kDouble,
                  [g = std::mt19937_64(seed)]() mutable { return static_cast<double>(g() >> 11) * 0x1p-53; });
  });
  check("32 bits in float64", [](uint64_t seed) {
    return filled(kShape, at::kDouble, [g = std::mt19937(static_cast<uint32_t>(seed))]() mutable { return g() * 0x1p-32; });
  });
  check("mantissa bits, 1.x - 1", [](uint64_t seed) {
    return filled(kShape, at::kFloat, [g = std::mt19937(static_cast<uint32_t>(seed))]() mutable { return (g() >> 9) * 0x1p-23; });
  });
  check("tl.rand", [](uint64_t seed) {  // 31 bits scaled in float32 by slightly less than 2^-31
    return filled(kShape, at::kFloat, [g = std::mt19937(static_cast<uint32_t>(seed))]() mutable {
      const int32_t x = static_cast<int32_t>(g());
      return static_cast<float>(x < 0 ? -x - 1 : x) * 4.6566127342e-10f;
    });
  });
  check("1 - (0, 1]", [](uint64_t seed) { return 1 - (torch_rand(kShape, at::kFloat, seed) + 0x1p-24f); });
}

TEST(Uniform, OneItselfIsOutside) {
  at::Tensor x = torch_rand(kShape, at::kFloat, 1);
  x[17][3] = 1;
  const Judgement judgement = judge(kShape, at::kFloat, x, torch_rand(kShape, at::kFloat, 2), x);
  ASSERT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.findings[0].where, (std::vector<int64_t>{17, 3}));
  EXPECT_NE(detail(judgement).find("1 itself"), std::string::npos);
  // (0, 1] as curand has it, once 1 occurs, which float32 rounding makes it do.
  EXPECT_FALSE(judge([](uint64_t seed) { return 1 - torch_rand({1 << 20}, at::kHalf, seed); }).passed);
}

TEST(Uniform, NaNAndNegativeAreOutside) {
  for (const float bad : {std::nanf(""), -0x1p-20f, 2.f}) {
    at::Tensor x = torch_rand(kShape, at::kFloat, 1);
    x[0][0] = bad;
    EXPECT_FALSE(judge(kShape, at::kFloat, x, x, x).passed) << bad;
  }
}

struct Dishonest {
  const char* name;
  Generator generate;
};

std::vector<Dishonest> dishonest() {
  const auto rand = [](uint64_t seed) { return torch_rand(kShape, at::kFloat, seed); };
  const auto randn = [](uint64_t seed) { return at::randn(kShape, at::make_generator<at::CPUGeneratorImpl>(seed)); };
  return {
      {"zeros", [](uint64_t) { return at::zeros(kShape); }},
      {"constant", [](uint64_t) { return at::full(kShape, 0.5); }},
      {"constant of the seed", [](uint64_t seed) { return at::full(kShape, static_cast<double>(seed % 1000) / 1000); }},
      {"ramp", [](uint64_t) { return at::arange(1 << 15, at::kFloat).div(1 << 15).view(kShape); }},
      {"ramp from the seed",
       [](uint64_t seed) {
         return at::frac(at::arange(1 << 15, at::kDouble).div(1 << 15) + static_cast<double>(seed % 997) / 997)
             .to(at::kFloat)
             .view(kShape);
       }},
      {"shuffled ramp",
       [](uint64_t seed) {
         return at::randperm(1 << 15, at::make_generator<at::CPUGeneratorImpl>(seed), at::kFloat).div(1 << 15).view(kShape);
       }},
      {"clipped normal numbers", [=](uint64_t seed) { return randn(seed).mul(0.25).add(0.5).clamp(0, 0.99); }},
      {"normal numbers by absolute value", [=](uint64_t seed) { return randn(seed).abs().frac(); }},
      {"the same for each seed", [=](uint64_t) { return rand(7); }},
      {"seed only in the first row",
       [=](uint64_t seed) {
         at::Tensor x = rand(7).clone();
         x[0].copy_(rand(seed)[0]);
         return x;
       }},
      {"the low half", [=](uint64_t seed) { return rand(seed) * 0.5; }},
      {"the high half", [=](uint64_t seed) { return rand(seed) * 0.5 + 0.5; }},
      {"almost up to one", [=](uint64_t seed) { return rand(seed) * 0.97; }},
      {"squares", [=](uint64_t seed) { return rand(seed).square(); }},
      {"mean of two", [=](uint64_t seed) { return (rand(seed) + rand(seed + 1)) / 2; }},
      {"every row alike", [=](uint64_t seed) { return rand(seed)[0].expand(kShape).contiguous(); }},
      {"every column alike", [=](uint64_t seed) { return rand(seed).select(1, 0).unsqueeze(1).expand(kShape).contiguous(); }},
      {"each number twice",
       [=](uint64_t seed) { return rand(seed).flatten().narrow(0, 0, 1 << 14).repeat_interleave(2).view(kShape); }},
      {"each block of 1024 alike",
       [=](uint64_t seed) { return rand(seed).flatten().narrow(0, 0, 1024).repeat({32}).view(kShape); }},
      {"each block of 1000 alike",
       [=](uint64_t seed) { return rand(seed).flatten().narrow(0, 0, 1000).repeat({33}).narrow(0, 0, 1 << 15).view(kShape); }},
      {"neighbours mirrored",
       [=](uint64_t seed) {
         const at::Tensor h = rand(seed).flatten().narrow(0, 0, 1 << 14);
         return at::stack({h, (1 - h).clamp_max(1 - 0x1p-24)}, 1).view(kShape);
       }},
      {"last block missing",
       [=](uint64_t seed) {
         at::Tensor x = rand(seed);
         x.narrow(0, 120, 8).zero_();
         return x;
       }},
      {"256 levels", [=](uint64_t seed) { return rand(seed).mul(256).floor().div(256); }},
      {"16 bits", [=](uint64_t seed) { return rand(seed).mul(65536).floor().div(65536); }},
      {"half precision", [=](uint64_t seed) { return torch_rand(kShape, at::kHalf, seed).to(at::kFloat); }},
      {"float32 in float64", [=](uint64_t seed) { return rand(seed).to(at::kDouble); }},
      {"golden ratio sequence",
       [](uint64_t seed) {
         return at::frac(at::arange(1 << 15, at::kDouble) * 0.6180339887498949 + static_cast<double>(seed % 997) / 997)
             .to(at::kFloat)
             .view(kShape);
       }},
      {"sorted", [=](uint64_t seed) { return std::get<0>(rand(seed).flatten().sort()).view(kShape); }},
      {"b is a shifted",
       [=](uint64_t seed) {
         return torch_rand({3 << 14}, at::kFloat, 7).narrow(0, static_cast<int64_t>(seed % 2 ? 0 : 1), 1 << 15).view(kShape);
       }},
      {"b is 1 - a", [=](uint64_t seed) { return seed % 2 ? rand(7) : (1 - rand(7)).clamp_max(1 - 0x1p-24); }},
  };
}

TEST(Uniform, EveryDishonestGeneratorFails) {
  for (const Dishonest& d : dishonest()) EXPECT_FALSE(judge(d.generate, kSeedA, kSeedB + 1).passed) << d.name;
}

TEST(Uniform, TheSameSeedMustRepeat) {
  const Judgement judgement = judge(kShape, at::kFloat, torch_rand(kShape, at::kFloat, 1), torch_rand(kShape, at::kFloat, 2),
                                    torch_rand(kShape, at::kFloat, 3));
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("same seed"), std::string::npos);
}

TEST(Uniform, SixNumbersAreEnoughForConstantsAndFixedSeeds) {
  const std::vector<int64_t> shape{2, 3};
  EXPECT_FALSE(judge([&](uint64_t) { return at::zeros(shape); }).passed);
  EXPECT_FALSE(judge([&](uint64_t) { return at::full(shape, 0.7); }).passed);
  EXPECT_FALSE(judge([&](uint64_t) { return torch_rand(shape, at::kFloat, 5); }).passed);
}

TEST(Uniform, AnotherTypeOrShapeFails) {
  const at::Tensor a = torch_rand(kShape, at::kFloat, 1), b = torch_rand(kShape, at::kFloat, 2);
  EXPECT_FALSE(judge(kShape, at::kDouble, a, b, a).passed);
  EXPECT_FALSE(judge({256, 128}, at::kFloat, a, b, a).passed);
  EXPECT_FALSE(judge(kShape, at::kFloat, a, b, at::Tensor()).passed);
}

// Exact p-values by hand: 10 coins, all heads, two-sided: 2 / 1024.
TEST(UniformTests, LeadingBitsOfAnAlternatingSequence) {
  const at::Tensor x = at::tensor({.1, .6, .1, .6, .1, .6, .1, .6, .1, .6, .1}, at::kDouble);
  std::vector<TestResult> results;
  test_independence(x, {1}, results);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_NEAR(results[0].p, 2.0 / 1024, 1e-12);
}

// Birthday problem: 4 equal pairs where 2^22 levels make 6 / 2^22 likely: P(X >= 4) = mean^4 / 24 for a small mean.
TEST(UniformTests, EqualPairsAreCountedAsPairs) {
  const at::Tensor x = at::tensor({.1, .1, .1, .2}, at::kDouble);
  std::vector<TestResult> results;
  test_resolution(x, 24, results);
  const double mean = 6 * 0x1p-22;
  ASSERT_FALSE(results.empty());
  EXPECT_NEAR(results[0].p / (mean * mean * mean / 6), 1, 1e-3);  // three pairs
}

}  // namespace
}  // namespace kbx
