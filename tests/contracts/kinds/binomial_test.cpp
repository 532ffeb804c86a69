// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/binomial_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "catalogue/task.h"
#include "kinds/calls.h"
#include "oracle/kinds/stochastic.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;

constexpr uint64_t kSeedA = 1001, kSeedB = 1002;

// What a candidate is asked for: factors, trials and probabilities, which broadcast.
struct Asked {
  at::Tensor factor, trials, probs;
  bool as_logits = false;

  std::vector<int64_t> shape() const { return (factor + trials + probs).sizes().vec(); }
};

using Generator = std::function<at::Tensor(const Asked&, uint64_t)>;

Judgement judge(const Asked& asked, const at::Tensor& a, const at::Tensor& b, const at::Tensor& again) {
  Task task;
  task.contract = stochastic(Distribution::binomial);
  task.chance.before = [](const Args& args) { return args.tensor("factor"); };
  Call call;
  call.task = &task;
  call.seed = 5;
  Argument none;
  none.name = "probs";
  const at::Tensor p = asked.as_logits ? at::logit(asked.probs) : asked.probs;
  call.arguments = {testing::tensor_argument("factor", asked.factor), testing::tensor_argument("total_count", asked.trials)};
  if (asked.as_logits) call.arguments.push_back(none);
  call.arguments.push_back(testing::tensor_argument(asked.as_logits ? "logits" : "probs", p));
  const at::Tensor like = at::empty(asked.shape());
  Expected expected;
  expected.outputs = {testing::truth("result", like, like)};
  return judge_stochastic(call, expected, {{delivered(a)}, {delivered(b)}, {delivered(again)}}, {Distribution::binomial});
}
Judgement judge(const Asked& asked, const Generator& generate, uint64_t a = kSeedA, uint64_t b = kSeedB) {
  return judge(asked, generate(asked, a), generate(asked, b), generate(asked, a));
}

at::Tensor torch_counts(const at::Tensor& trials, const at::Tensor& probs, at::IntArrayRef shape, uint64_t seed) {
  return at::binomial(trials.to(at::kFloat).expand(shape).contiguous(), probs.to(at::kFloat).expand(shape).contiguous(),
                      at::make_generator<at::CPUGeneratorImpl>(seed));
}
at::Tensor torch(const Asked& asked, uint64_t seed) {
  return torch_counts(asked.trials, asked.probs, asked.shape(), seed) * asked.factor;
}

// Uniform numbers that stand for the trials, compared one by one with p: nothing of torch's sampler.
at::Tensor by_trials(const Asked& asked, uint64_t seed) {
  const std::vector<int64_t> shape = asked.shape();
  const at::Tensor n = asked.trials.to(at::kDouble).expand(shape).contiguous(), p = asked.probs.expand(shape).contiguous();
  at::Tensor s = at::zeros(shape);
  std::mt19937 random(static_cast<uint32_t>(seed));
  for (int64_t i = 0; i < s.numel(); ++i) {
    const float chance = p.const_data_ptr<float>()[i];
    for (int64_t k = 0; k < static_cast<int64_t>(n.const_data_ptr<double>()[i]); ++k)
      s.mutable_data_ptr<float>()[i] += static_cast<float>(random() >> 8) * 0x1p-24f < chance;
  }
  return s * asked.factor;
}

at::Tensor uniform(at::IntArrayRef shape, double low, double high, uint64_t seed = 3) {
  return at::rand(shape, at::make_generator<at::CPUGeneratorImpl>(seed)) * (high - low) + low;
}

Asked many() {
  const at::Tensor factor = at::randint(1, 256, {96, 256}, at::make_generator<at::CPUGeneratorImpl>(2));
  return {factor.to(at::kInt), at::full({256}, 50), uniform({96, 256}, 0.1, 0.9)};
}
Asked coins() { return {at::ones({64, 128}, at::kInt), at::ones({128}), uniform({64, 128}, 0.2, 0.8)}; }
Asked mixed() {
  const at::Tensor trials = at::tensor({1.f, 2.f, 5.f, 20.f, 600.f}).repeat({20});
  return {at::randint(0, 4, {80, 100}, at::make_generator<at::CPUGeneratorImpl>(2)), trials, uniform({80, 100}, 0, 1)};
}
Asked rare() { return {at::ones({5000}, at::kInt), at::full({5000}, 100), at::full({5000}, 0.02)}; }

TEST(Binomial, TorchAndSingleTrialsPass) {
  Asked logits = many();
  logits.as_logits = true;
  for (const Asked& asked : {many(), coins(), mixed(), rare(), logits})
    for (const Generator& generate : {Generator(torch), Generator(by_trials)}) {
      const Judgement judgement = judge(asked, generate);
      EXPECT_TRUE(judgement.passed) << detail(judgement);
      EXPECT_LT(judgement.ratio, 0.8);
    }
}

TEST(Binomial, SmallCallsPass) {
  const at::Tensor four = at::full({4}, 5), half = at::full({4}, 0.5);
  for (const Asked& asked : {Asked{at::tensor({1, 0, 0, 0}, at::kInt), four, half},
                             Asked{at::full({}, 2, at::kLong), at::full({}, 9), at::full({}, 0.5)},
                             Asked{at::zeros({0}, at::kInt), at::zeros({0}), at::zeros({0})},
                             Asked{at::tensor({-1, -5, 3}, at::kLong), at::full({3}, 4), at::full({3}, 0.25)}})
    for (uint64_t seed = 1; seed < 50; ++seed) EXPECT_TRUE(judge(asked, torch, seed, seed + 100).passed);
}

// What the false-alarm rate follows from: each p-value is at most x with a probability of at most x. Then of 300 honest
// judgements the least p-value times the number of tests is below 0.05 in 15 at most, and five standard deviations are 19.
TEST(Binomial, PValuesHoldForHonestCounts) {
  for (const Asked& asked : {coins(), mixed()}) {
    std::vector<int64_t> shape = asked.shape();
    shape[0] = 16;
    const auto wide = [&](const at::Tensor& t) { return t.to(at::kDouble).expand(shape).contiguous(); };
    const at::Tensor probs = asked.probs.narrow(0, 0, 16);
    const BinomialLaw law{wide(asked.trials), wide(probs), wide(at::ones({}))};
    int alarms = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
      const at::Tensor a = wide(torch_counts(asked.trials, probs, shape, 2 * seed)),
                       b = wide(torch_counts(asked.trials, probs, shape, 2 * seed + 1));
      const std::vector<TestResult> results = test_counts(law, a, b, seed);
      EXPECT_GT(results.size(), 300u);
      alarms += least_likely(results).p * static_cast<double>(results.size()) < 0.05;
    }
    EXPECT_LE(alarms, 34);
  }
}

TEST(Binomial, HonestCountsStayFarFromTheThreshold) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed)
    for (const Asked& asked : {coins(), rare()}) worst = std::max(worst, judge(asked, torch, 2 * seed, 2 * seed + 1).ratio);
  EXPECT_LT(worst, 0.75);
  EXPECT_GT(worst, 0.25);
}

// By hand: 3 trials with 1/4: P(S < 2) = 27/64 + 27/64, P(S = 2) = 9/64.
TEST(Binomial, StepsOfTheDistributionFunction) {
  EXPECT_NEAR(binomial_step(3, 0.25, 2).below, 54.0 / 64, 1e-15);
  EXPECT_NEAR(binomial_step(3, 0.25, 2).at, 9.0 / 64, 1e-15);
  EXPECT_NEAR(binomial_step(3, 0.75, 1).below, 1.0 / 64, 1e-15);
  EXPECT_NEAR(binomial_step(3, 0.75, 1).at, 9.0 / 64, 1e-15);
  EXPECT_EQ(binomial_step(5, 0.5, 0).below, 0);
  for (const int64_t n : {512, 513}) {  // both ways of computing
    double below = 0;
    for (const double p : {0.3, 0.9}) {
      below = 0;
      for (int64_t k = 0; k <= n; ++k) {
        const BinomialStep step = binomial_step(n, p, k);
        EXPECT_NEAR(step.below, below, 1e-12);
        below += step.at;
      }
      EXPECT_NEAR(below, 1, 1e-12);
    }
  }
}

// The bound is never below the two-sided tail, and of ten tails off not far above it.
TEST(Binomial, ChernoffBoundsTheTails) {
  const std::vector<double> trials(100, 1), probability(100, 0.3);
  for (int64_t count = 0; count <= 100; ++count) {
    const double exact = binomial_p(100, 0.3, count), bound = chernoff_p(trials, probability, static_cast<double>(count));
    EXPECT_GE(bound, std::min(exact, 1.0) * (1 - 1e-9)) << count;
    EXPECT_LE(bound, std::max(exact * 40, 1e-300)) << count;
  }
  std::vector<double> p;
  for (int i = 0; i < 60; ++i) p.push_back(0.05 + 0.015 * i);
  for (int64_t count = 0; count <= 60; ++count)
    EXPECT_GE(chernoff_p(std::vector<double>(60, 1), p, static_cast<double>(count)), poisson_binomial_p(p, count) * (1 - 1e-9));
}

TEST(Binomial, WhatIsNoCountTimesItsFactorFails) {
  const Asked asked{at::tensor({3, 3, 0, -2}, at::kInt), at::full({4}, 5), at::tensor({0.5f, 0.5f, 0.5f, 0.5f})};
  const at::Tensor right = at::tensor({6.f, 0.f, 0.f, -4.f});
  EXPECT_TRUE(judge(asked, right, right, right).passed);
  const auto with = [&](int64_t i, float value) {
    at::Tensor y = right.clone();
    y[i] = value;
    return judge(asked, y, right, y);
  };
  const Judgement judgement = with(1, 4);  // no multiple of 3
  ASSERT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.findings[0].where, (std::vector<int64_t>{1}));
  EXPECT_FALSE(with(0, 18).passed);  // six successes of five
  EXPECT_FALSE(with(0, -3).passed);
  EXPECT_FALSE(with(2, 1).passed);  // the factor is 0
  EXPECT_FALSE(with(3, 4).passed);  // the other sign
  EXPECT_FALSE(with(0, 6.0001f).passed);
  EXPECT_FALSE(with(0, std::nanf("")).passed);
  EXPECT_FALSE(with(0, INFINITY).passed);
  EXPECT_FALSE(judge(asked, right, right + 0.5, right).passed);  // with the other seed
}

TEST(Binomial, CertainSuccessAndFailureAreExact) {
  const Asked asked{at::ones({6}, at::kInt), at::full({6}, 5), at::tensor({0.f, 1.f, 0.f, 1.f, 0.f, 1.f})};
  const at::Tensor right = at::tensor({0.f, 5.f, 0.f, 5.f, 0.f, 5.f});
  EXPECT_TRUE(judge(asked, right, right, right).passed);
  for (const int64_t i : {0, 1}) {
    at::Tensor wrong = right.clone();
    wrong[i] = 1;
    EXPECT_FALSE(judge(asked, wrong, wrong, wrong).passed) << i;
  }
  const Asked none{at::ones({2}, at::kInt), at::zeros({2}), at::full({2}, 0.5)};
  EXPECT_TRUE(judge(none, at::zeros({2}), at::zeros({2}), at::zeros({2})).passed);
  EXPECT_FALSE(judge(none, at::ones({2}), at::ones({2}), at::ones({2})).passed);
}

TEST(Binomial, TheSameSeedMustRepeat) {
  const Asked asked = coins();
  const Judgement judgement = judge(asked, torch(asked, 1), torch(asked, 2), torch(asked, 3));
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("same seed"), std::string::npos) << detail(judgement);
}

struct Dishonest {
  const char* name;
  Generator generate;
};

std::vector<Dishonest> dishonest() {
  const auto with_probs = [](const Asked& asked, const at::Tensor& probs, uint64_t seed) {
    return torch_counts(asked.trials, probs, asked.shape(), seed) * asked.factor;
  };
  const auto rows_of = [](const Asked& asked, uint64_t seed, int64_t rows) {  // one uniform number an element, repeated
    const std::vector<int64_t> shape = asked.shape();
    const at::Tensor n = asked.trials.to(at::kFloat).expand(shape), p = asked.probs.expand(shape);
    at::Tensor s = at::zeros(shape);
    for (int trial = 0; trial < 64; ++trial) {
      const at::Tensor u = at::rand({rows, shape[1]}, at::make_generator<at::CPUGeneratorImpl>(seed * 1000 + trial));
      s += u.repeat({shape[0] / rows, 1}).lt(p).logical_and(n.gt(trial));
    }
    return s * asked.factor;
  };
  return {
      {"one percent too likely", [=](const Asked& a, uint64_t seed) { return with_probs(a, a.probs * 1.01, seed); }},
      {"one percent too unlikely", [=](const Asked& a, uint64_t seed) { return with_probs(a, a.probs * 0.99, seed); }},
      {"failures counted", [=](const Asked& a, uint64_t seed) { return with_probs(a, 1 - a.probs, seed); }},
      {"the mean probability for all",
       [=](const Asked& a, uint64_t seed) { return with_probs(a, a.probs.mean().expand(a.probs.sizes()), seed); }},
      {"the neighbour's probability", [=](const Asked& a, uint64_t seed) { return with_probs(a, a.probs.roll(1), seed); }},
      {"the mean",
       [](const Asked& a, uint64_t) { return (a.trials * a.probs).round().expand(a.shape()).contiguous() * a.factor; }},
      {"a rounded normal number",
       [](const Asked& a, uint64_t seed) {
         const at::Tensor z = at::randn(a.shape(), at::make_generator<at::CPUGeneratorImpl>(seed));
         const at::Tensor mean = a.trials * a.probs, s = (mean + z * (mean * (1 - a.probs)).sqrt() * 0.9).round();
         return at::minimum(s.clamp_min(0), a.trials.expand(a.shape()).to(at::kFloat)) * a.factor;
       }},
      {"one trial for all of an element",
       [](const Asked& a, uint64_t seed) { return torch_counts(at::ones({}), a.probs, a.shape(), seed) * a.trials * a.factor; }},
      {"the same for each seed", [](const Asked& a, uint64_t) { return torch(a, 7); }},
      {"seed only in the first rows",
       [](const Asked& a, uint64_t seed) {
         at::Tensor y = torch(a, 7);
         y.narrow(0, 0, 4).copy_(torch(a, seed).narrow(0, 0, 4));
         return y;
       }},
      {"the same numbers in each row", [=](const Asked& a, uint64_t seed) { return rows_of(a, seed, 1); }},
      {"the same numbers in each block of eight rows", [=](const Asked& a, uint64_t seed) { return rows_of(a, seed, 8); }},
      {"last rows missing",
       [](const Asked& a, uint64_t seed) {
         at::Tensor y = torch(a, seed);
         y.narrow(0, y.size(0) - 4, 4).zero_();
         return y;
       }},
      {"a last column missing",
       [](const Asked& a, uint64_t seed) {
         at::Tensor y = torch(a, seed);
         y.select(1, y.size(1) - 1).zero_();
         return y;
       }},
  };
}

TEST(Binomial, EveryDishonestGeneratorFails) {
  for (const Dishonest& d : dishonest()) EXPECT_FALSE(judge(many(), d.generate).passed) << d.name;
}

TEST(Binomial, CoinsShowMostOfThemToo) {
  for (const Dishonest& d : dishonest()) {
    const std::string name = d.name;
    // 1 % of so few coins cannot be seen, a single trial is a single trial, and a rounded normal number is nearly one.
    if (name.starts_with("one percent") || name.starts_with("one trial") || name.starts_with("a rounded")) continue;
    EXPECT_FALSE(judge(coins(), d.generate).passed) << name;
  }
}

// Where success is unlikely nearly all counts agree by chance.
TEST(Binomial, RareSuccessesThatIgnoreTheSeedFail) {
  const Asked asked{at::ones({4000}, at::kInt), at::ones({4000}), at::full({4000}, 0.01)};
  EXPECT_TRUE(judge(asked, torch).passed);
  const Judgement judgement = judge(asked, [](const Asked& a, uint64_t) { return torch(a, 7); });
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("two seeds"), std::string::npos) << detail(judgement);
}

TEST(Binomial, ManyTrialsThatIgnoreTheSeedFail) {
  const Asked asked{at::ones({500}, at::kInt), at::full({500}, 600), at::full({500}, 0.5)};
  EXPECT_TRUE(judge(asked, torch).passed);
  EXPECT_FALSE(judge(asked, [](const Asked& a, uint64_t) { return torch(a, 7); }).passed);
}

// Pairs of coins that never agree: each of them is fair, and their sums are too good.
TEST(Binomial, NeighboursThatDependOnEachOtherFail) {
  const Asked asked{at::ones({8000}, at::kInt), at::ones({8000}), at::full({8000}, 0.5)};
  const Judgement judgement = judge(asked, [](const Asked&, uint64_t seed) {
    const at::Tensor one = torch_counts(at::ones({}), at::full({}, 0.5), {4000}, seed);
    return at::stack({one, 1 - one}, 1).view({8000});
  });
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("apart"), std::string::npos) << detail(judgement);
}

TEST(Binomial, AVarianceThatIsTooSmallFails) {
  const Asked asked{at::ones({9000}, at::kInt), at::full({9000}, 40), at::full({9000}, 0.5)};
  // Half of the trials leave nothing to chance.
  const auto half = [](const Asked& a, uint64_t seed) { return torch_counts(at::full({}, 20), a.probs, a.shape(), seed) + 10; };
  const Judgement judgement = judge(asked, half);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("bins"), std::string::npos) << detail(judgement);
}

// Which sum it is that shows them.
void expect_shown(const Asked& asked, const Generator& generate, const char* by) {
  EXPECT_TRUE(judge(asked, torch).passed);
  const Judgement judgement = judge(asked, generate);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find(by), std::string::npos) << detail(judgement);
}

TEST(Binomial, SumsShowASmallBias) {
  const Asked asked{at::ones({400, 150}, at::kInt), at::full({150}, 300), at::full({400, 150}, 0.5)};
  const auto biased = [](const Asked& a, uint64_t seed) { return torch_counts(a.trials, a.probs * 1.004, a.shape(), seed); };
  expect_shown(asked, biased, "successes with both seeds");
}

TEST(Binomial, SumsShowAPartThatIsBiased) {
  const Asked asked{at::ones({20000}, at::kInt), at::full({20000}, 50), at::full({20000}, 0.5)};
  const auto biased = [](const Asked& a, uint64_t seed) {
    at::Tensor p = a.probs.clone();
    p.narrow(0, 0, 1250).mul_(1.05);
    return torch_counts(a.trials, p, a.shape(), seed);
  };
  expect_shown(asked, biased, "part 1 of 16");
}

TEST(Binomial, SumsShowAColumnThatIsBiased) {
  const Asked asked{at::ones({96, 256}, at::kInt), at::full({256}, 50), at::full({96, 256}, 0.5)};
  const auto biased = [](const Asked& a, uint64_t seed) {
    at::Tensor p = a.probs.clone();
    p.select(1, 255).mul_(1.2);
    return torch_counts(a.trials, p, a.shape(), seed);
  };
  expect_shown(asked, biased, "index 255 of dimension 1");
}

TEST(Binomial, AnotherTypeOrShapeFails) {
  const Asked asked = coins();
  const at::Tensor y = torch(asked, 1), z = torch(asked, 2);
  EXPECT_FALSE(judge(asked, y.to(at::kDouble), z, y).passed);
  EXPECT_FALSE(judge(asked, y, z.t(), y).passed);
  EXPECT_FALSE(judge(asked, y, z, at::Tensor()).passed);
}

}  // namespace
}  // namespace kbx
