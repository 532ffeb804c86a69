// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "catalogue/cases.h"
#include "kinds/calls.h"
#include "oracle/kinds/mask_tests.h"
#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::detail;
using testing::local_task;

// What a candidate computes for one seed.
using Candidate = std::function<Values(const Args&, uint64_t seed)>;

// A stream that is not torch's.
at::Tensor mask(at::IntArrayRef shape, double keep, uint64_t seed) {
  at::Tensor m = at::empty(shape, at::kFloat);
  std::mt19937_64 stream(seed * 0x9e3779b97f4a7c15 + 1);
  for (int64_t i = 0; i < m.numel(); ++i) m.mutable_data_ptr<float>()[i] = static_cast<double>(stream() >> 11) * 0x1p-53 < keep;
  return m;
}

Call call_of_line(const char* task, const char* line, uint64_t seed = 23) {
  const Result<Case> c = parse_case(*find_task(task), line);
  EXPECT_TRUE(c.ok()) << line;
  Result<Call> call = bind(*find_task(task), *c, seed, at::kCPU);
  EXPECT_TRUE(call.ok()) << line;
  return *call;
}

// The judge's answer to a candidate; the call's own seed is replaced by `seed`, since the expected values do not depend on it.
Judgement judge(const Call& call, const Expected& expected, const Candidate& candidate, uint64_t seed = 1000) {
  std::vector<Delivery> deliveries;
  for (const uint64_t s : seeds_to_call(*call.task, seed)) {
    const Call copy = call.clone();
    Delivery delivery;
    for (const at::Tensor& value : candidate(Args(copy), s)) delivery.push_back({value, ""});
    deliveries.push_back(std::move(delivery));
  }
  return judge_outputs(call, expected, deliveries);
}

void expect_honest(const Call& call, const Candidate& candidate, int seeds) {
  const Expected expected = consult_oracle(call);
  for (int i = 0; i < seeds; ++i) {
    const Judgement j = judge(call, expected, candidate, 1000 + 7 * static_cast<uint64_t>(i));
    ASSERT_TRUE(j.passed) << "seed " << i << ": " << detail(j);
    ASSERT_LT(j.ratio, 0.9) << "seed " << i;
  }
}

struct Wrong {
  const char* name;
  Candidate candidate;
};

void expect_rejected(const Call& call, const std::vector<Wrong>& candidates) {
  const Expected expected = consult_oracle(call);
  for (const Wrong& wrong : candidates) EXPECT_FALSE(judge(call, expected, wrong.candidate).passed) << wrong.name;
}

// The task's computation around some other way to drop.
using Drop = std::function<at::Tensor(const at::Tensor& x, double p, uint64_t seed)>;

at::Tensor honest_drop(const at::Tensor& x, double p, uint64_t seed) { return x * mask(x.sizes(), 1 - p, seed) / (1 - p); }

// Masks that are wrong wherever they are applied. `x` has three dimensions.
std::vector<std::pair<const char*, Drop>> wrong_drops() {
  const auto with = [](auto make) -> Drop {
    return [make](const at::Tensor& x, double p, uint64_t seed) { return x * make(x, p, seed) / (1 - p); };
  };
  return {
      {"nothing is dropped", [](const at::Tensor& x, double, uint64_t) { return x; }},
      {"scaled, but nothing is dropped", [](const at::Tensor& x, double p, uint64_t) { return x / (1 - p); }},
      {"everything is dropped", [](const at::Tensor& x, double, uint64_t) { return at::zeros_like(x); }},
      {"not scaled", [](const at::Tensor& x, double p, uint64_t seed) { return x * mask(x.sizes(), 1 - p, seed); }},
      {"scaled by p", [](const at::Tensor& x, double p, uint64_t seed) { return x * mask(x.sizes(), 1 - p, seed) / p; }},
      {"keeps with probability p", with([](auto& x, double p, uint64_t seed) { return mask(x.sizes(), p, seed); })},
      {"drops a quarter less", with([](auto& x, double p, uint64_t seed) { return mask(x.sizes(), 1 - 0.75 * p, seed); })},
      {"one mask for all rows", with([](auto& x, double p, uint64_t seed) {
         return mask({1, 1, x.size(2)}, 1 - p, seed);
       })},
      {"whole rows", with([](auto& x, double p, uint64_t seed) {
         return mask({x.size(0), x.size(1), 1}, 1 - p, seed);
       })},
      {"one mask for all of the batch", with([](auto& x, double p, uint64_t seed) {
         return mask({1, x.size(1), x.size(2)}, 1 - p, seed);
       })},
      {"pairs of elements", with([](auto& x, double p, uint64_t seed) {
         return mask({x.numel() / 2 + 1}, 1 - p, seed).repeat_interleave(2).narrow(0, 0, x.numel()).view(x.sizes());
       })},
      {"the seed is ignored", with([](auto& x, double p, uint64_t) { return mask(x.sizes(), 1 - p, 5); })},
      {"the next seed shifts the mask", with([](auto& x, double p, uint64_t seed) {
         return mask({x.numel() + 2000}, 1 - p, 5).narrow(0, static_cast<int64_t>(seed % 2), x.numel()).view(x.sizes());
       })},
      {"the seed does not repeat",
       with([n = std::make_shared<uint64_t>(0)](auto& x, double p, uint64_t) { return mask(x.sizes(), 1 - p, ++*n); })},
      {"every 1/p-th", with([](auto& x, double p, uint64_t seed) {
         return ((at::arange(x.numel(), at::kDouble) + static_cast<double>(seed % 7)) * p)
             .frac()
             .ge(p)
             .to(at::kFloat)
             .view(x.sizes());
       })},
      {"the smallest", with([](auto& x, double p, uint64_t seed) {
         const at::Tensor noise = at::rand(x.sizes(), at::make_generator<at::CPUGeneratorImpl>(seed)) * 0.2;
         const at::Tensor rank = (x.abs() * (1 + noise)).flatten().argsort().argsort();
         return rank.ge(static_cast<int64_t>(p * static_cast<double>(x.numel()))).to(at::kFloat).view(x.sizes());
       })},
      {"exactly the share p of each row",
       [](const at::Tensor& x, double p, uint64_t seed) {
         const int64_t dropped = std::lround(p * static_cast<double>(x.size(2)));
         const at::Tensor order = at::rand(x.sizes(), at::make_generator<at::CPUGeneratorImpl>(seed)).argsort(int64_t{-1});
         return x * order.ge(dropped) / (1 - p);
       }},
      {"the last rows stay whole", with([](auto& x, double p, uint64_t seed) {
         at::Tensor m = mask(x.sizes(), 1 - p, seed);
         m.narrow(1, x.size(1) / 2, x.size(1) - x.size(1) / 2).fill_(1);
         return m;
       })},
  };
}

// fused_mul_add_logsoftmax_dropout_bmm

at::Tensor log_probabilities(const Args& a) {
  return at::log_softmax(a.tensor("input1") * a.tensor("input2") + a.tensor("other"), a.integer("dim"));
}

Candidate product(const Drop& drop) {
  return [=](const Args& a, uint64_t seed) -> Values {
    return {at::bmm(drop(log_probabilities(a), a.real("p"), seed), a.tensor("mat2"))};
  };
}

constexpr const char* kProduct = "fused_mul_add_logsoftmax_dropout_bmm";
constexpr const char* kGeneral =
    "standard: input1=randn[3,21,17] input2=randn[3,21,17] other=randn[3,21,17] mat2=randn[3,17,31] p=0.3";
constexpr const char* kIdentity =
    "standard: input1=randn[3,21,17] input2=randn[3,21,17] other=randn[3,21,17] mat2=eye[3,17,17]@scale(0.75) p=0.3";

TEST(Dropout, AnHonestMaskBeforeAProductPasses) {
  for (const char* line : {kGeneral, kIdentity}) expect_honest(call_of_line(kProduct, line), product(honest_drop), 12);
}

TEST(Dropout, TorchsOwnStreamPasses) {
  const Call call = call_of_line(kProduct, kGeneral);
  expect_honest(
      call,
      [](const Args& a, uint64_t seed) -> Values {
        at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
        generator.set_current_seed(seed);
        return {at::bmm(at::dropout(log_probabilities(a), 0.3, true), a.tensor("mat2"))};
      },
      4);
}

TEST(Dropout, AWrongMaskBeforeAProductFails) {
  std::vector<Wrong> wrong;
  for (const auto& [name, drop] : wrong_drops()) wrong.push_back({name, product(drop)});
  for (const char* line : {kGeneral, kIdentity}) expect_rejected(call_of_line(kProduct, line), wrong);
}

TEST(Dropout, DropoutAtAnotherPlaceFails) {
  const std::vector<Wrong> wrong = {
      {"after the product",
       [](const Args& a, uint64_t seed) -> Values {
         return {honest_drop(at::bmm(log_probabilities(a), a.tensor("mat2")), 0.3, seed)};
       }},
      {"on the input",
       [](const Args& a, uint64_t seed) -> Values {
         const at::Tensor x = honest_drop(a.tensor("input1"), 0.3, seed);
         return {at::bmm(at::log_softmax(x * a.tensor("input2") + a.tensor("other"), -1), a.tensor("mat2"))};
       }},
      {"before the softmax",
       [](const Args& a, uint64_t seed) -> Values {
         const at::Tensor x = honest_drop(a.tensor("input1") * a.tensor("input2") + a.tensor("other"), 0.3, seed);
         return {at::bmm(at::log_softmax(x, -1), a.tensor("mat2"))};
       }},
      {"on the matrix",
       [](const Args& a, uint64_t seed) -> Values {
         return {at::bmm(log_probabilities(a), honest_drop(a.tensor("mat2"), 0.3, seed))};
       }},
      {"a softmax without logarithm",
       [](const Args& a, uint64_t seed) -> Values {
         return {at::bmm(honest_drop(log_probabilities(a).exp(), 0.3, seed), a.tensor("mat2"))};
       }},
      {"a mask of bf16 values",
       [](const Args& a, uint64_t seed) -> Values {
         const at::Tensor x = honest_drop(log_probabilities(a).to(at::kBFloat16).to(at::kFloat), 0.3, seed);
         return {at::bmm(x, a.tensor("mat2"))};
       }},
  };
  expect_rejected(call_of_line(kProduct, kGeneral), wrong);
}

// Small cases cannot tell such a rate; the first timed call can.
TEST(Dropout, AKeepRateOffByOnePercentFailsOnManyElements) {
  const Call call = call_of_line("fused_hardshrink_dropout", "boundary: input=randn[256,1025] p=0.1");
  const auto keeping = [](double rate) -> Candidate {
    return [rate](const Args& a, uint64_t seed) -> Values {
      const at::Tensor x = a.tensor("input"), kept = x * mask(x.sizes(), 0.9 * rate, seed) / 0.9;
      return {at::hardshrink(kept, 0.5)};
    };
  };
  expect_honest(call, keeping(1), 1);
  expect_rejected(call, {{"one percent more", keeping(1.01)}, {"one percent less", keeping(0.99)}});
}

TEST(Dropout, WithoutChanceTheResultIsJudgedAsNumbers) {
  const std::string inputs = "boundary: input1=randn[2,9,7] input2=randn[2,9,7] other=randn[2,9,7] mat2=randn[2,7,5] ";
  const Candidate plain = product([](const at::Tensor& x, double, uint64_t) { return x; });
  const Candidate zero = product([](const at::Tensor& x, double, uint64_t) { return at::zeros_like(x); });
  const Candidate scaled = product([](const at::Tensor& x, double, uint64_t) { return x / 0.7; });
  const Candidate half = product([](const at::Tensor& x, double, uint64_t seed) { return honest_drop(x, 0.5, seed); });
  const Candidate sometimes =
      product([](const at::Tensor& x, double, uint64_t seed) { return seed % 2 ? honest_drop(x, 0.5, seed) : x; });
  for (const char* off : {"p=0", "p=0.3 training=false", "p=1 training=false"}) {
    const Call call = call_of_line(kProduct, (inputs + off).c_str());
    expect_honest(call, plain, 1);
    expect_rejected(call, {{"zero", zero}, {"scaled", scaled}, {"dropped", half}, {"for one seed alone", sometimes}});
  }
  const Call call = call_of_line(kProduct, (inputs + "p=1").c_str());
  expect_honest(call, zero, 1);
  expect_rejected(call, {{"plain", plain}, {"half", half}});
}

// A product with fewer columns than rows hides the mask: nothing may be said of the candidate then.
TEST(Dropout, AMaskThatTheResultHidesIsNoCase) {
  EXPECT_THROW(consult_oracle(call_of_line(
                   kProduct, "boundary: input1=randn[3,9,17] input2=randn[3,9,17] other=0.5 mat2=randn[3,17,9] p=0.3")),
               c10::Error);
}

TEST(Dropout, MostElementsOfTheCatalogueShowTheirMask) {
  for (const char* id : {kProduct, "fused_transformer_block"}) {
    const Task& task = *find_task(id);
    for (const auto& cases : {cases_of(task, 3), perf_cases_of(task, at::kCPU)})
      for (const Case& c : cases) {
        const Result<Call> call = bind(task, c, 5, at::kCPU);
        ASSERT_TRUE(call.ok()) << c.line;
        const Expected expected = consult_oracle(*call);
        if (!expected.masks || expected.masks->certain.numel() < 100) continue;
        const double share = expected.masks->certain.to(at::kDouble).mean().item<double>();
        EXPECT_GT(share, c.stage == Stage::outlier ? 0.3 : 0.9) << c.line;
      }
  }
}

// fused_transformer_block

Candidate block(const Drop& drop) {
  return [=](const Args& a, uint64_t seed) -> Values {
    const at::Tensor z = drop(at::softmax(at::matmul(a.tensor("input"), a.tensor("weight1")), -1), a.real("dropout_p"), seed);
    const at::Tensor v = at::matmul(z, a.tensor("weight2")) + a.tensor("residual");
    return {at::layer_norm(v, {v.size(-1)}, {}, {}, a.real("eps"))};
  };
}

TEST(Dropout, AMaskIsReadThroughANormalisation) {
  for (const char* line : {"standard: input=randn[2,23,17] weight1=randn[17,19]@scale(0.1) weight2=eye[19,40]@scale(30) "
                           "residual=randn[2,23,40] dropout_p=0.3",
                           "standard: input=randn[2,23,17] weight1=randn[17,19]@scale(0.1) weight2=randn[19,50]@scale(5) "
                           "residual=randn[2,23,50] dropout_p=0.3"}) {
    const Call call = call_of_line("fused_transformer_block", line);
    expect_honest(call, block(honest_drop), 8);
    std::vector<Wrong> wrong;
    for (const auto& [name, drop] : wrong_drops()) wrong.push_back({name, block(drop)});
    // Through an identity the product is the place itself.
    if (std::string(line).find("eye") == std::string::npos)
      wrong.push_back({"after the product", [](const Args& a, uint64_t seed) -> Values {
                         const at::Tensor z = at::softmax(at::matmul(a.tensor("input"), a.tensor("weight1")), -1);
                         const at::Tensor v = honest_drop(at::matmul(z, a.tensor("weight2")), 0.3, seed) + a.tensor("residual");
                         return {at::layer_norm(v, {v.size(-1)}, {}, {}, 1e-5)};
                       }});
    wrong.push_back({"at the end", [](const Args& a, uint64_t seed) -> Values {
                       const Candidate all = block([](const at::Tensor& x, double, uint64_t) { return x; });
                       return {honest_drop(all(a, seed).front(), 0.3, seed)};
                     }});
    expect_rejected(call, wrong);
  }
}

// Element by element: nothing has to be undone.

TEST(Dropout, AnElementwiseTailShowsTheMaskByItself) {
  Task task = local_task("t(Tensor x, Tensor y, float p) -> Tensor", dropped_out, stochastic(Distribution::dropout));
  task.chance.before = [](const Args& a) { return at::sigmoid(a.tensor("x")); };
  task.chance.probability = [](const Args& a) { return a.real("p"); };
  task.chance.after = [](const Args& a, const at::Tensor& masked) -> Values { return {at::gelu(masked) - a.tensor("y")}; };
  const Call call = call_of(task, {at::randn({2, 30, 20}), at::randn({20}), 0.3});
  const auto tail = [](const Drop& drop) -> Candidate {
    return [=](const Args& a, uint64_t seed) -> Values {
      return {at::gelu(drop(at::sigmoid(a.tensor("x")), 0.3, seed)) - a.tensor("y")};
    };
  };
  expect_honest(call, tail(honest_drop), 12);
  std::vector<Wrong> wrong;
  for (const auto& [name, drop] : wrong_drops()) wrong.push_back({name, tail(drop)});
  wrong.push_back({"at the end", [](const Args& a, uint64_t seed) -> Values {
                     return {honest_drop(at::gelu(at::sigmoid(a.tensor("x"))) - a.tensor("y"), 0.3, seed)};
                   }});
  wrong.push_back({"before the gelu's input", [](const Args& a, uint64_t seed) -> Values {
                     return {at::gelu(at::sigmoid(honest_drop(a.tensor("x"), 0.3, seed))) - a.tensor("y")};
                   }});
  expect_rejected(call, wrong);
}

// Small kept elements look like dropped ones in the result, but not in the argument that is written.
TEST(Dropout, AWrittenArgumentHasToShowTheSameMask) {
  Task task = local_task("t(Tensor(a!) x, float p) -> Tensor", dropped_out, stochastic(Distribution::dropout));
  task.chance.before = [](const Args& a) { return a.tensor("x").clone(); };
  task.chance.probability = [](const Args& a) { return a.real("p"); };
  task.chance.after = [](const Args& a, const at::Tensor& masked) -> Values {
    a.tensor("x").copy_(masked);
    return {at::hardshrink(masked, 0.5)};
  };
  const Call call = call_of(task, {at::randn({2, 30, 20}), 0.3});
  const auto shrunk = [](const at::Tensor& in_result, const at::Tensor& in_x) -> Values {
    return {at::hardshrink(in_result, 0.5), in_x};
  };
  expect_honest(
      call,
      [=](const Args& a, uint64_t seed) {
        const at::Tensor x = honest_drop(a.tensor("x"), 0.3, seed);
        return shrunk(x, x);
      },
      12);
  expect_rejected(call,
                  {{"the argument has another mask",
                    [=](const Args& a, uint64_t seed) {
                      return shrunk(honest_drop(a.tensor("x"), 0.3, seed), honest_drop(a.tensor("x"), 0.3, seed + 77));
                    }},
                   {"the argument stays",
                    [=](const Args& a, uint64_t seed) { return shrunk(honest_drop(a.tensor("x"), 0.3, seed), a.tensor("x")); }},
                   {"shrunk first", [=](const Args& a, uint64_t seed) {
                      const at::Tensor x = honest_drop(at::hardshrink(a.tensor("x"), 0.5), 0.3, seed);
                      return Values{x, x};
                    }}});
}

// By hand: ten elements, all kept at one half, in two-sided terms 2 / 1024; and of five pairs all alike 2 / 32.
TEST(MaskTests, CountsAreBinomial) {
  std::vector<TestResult> results;
  const at::Tensor all = at::ones({10}, at::kBool);
  test_mask(all, all, at::arange(10, at::kDouble), 0.5, results);
  EXPECT_NEAR(results.front().p, 2.0 / 1024, 1e-12);
  const auto neighbours =
      std::find_if(results.begin(), results.end(), [](const TestResult& r) { return r.what.find("elements 1 apart") == 0; });
  ASSERT_NE(neighbours, results.end());
  EXPECT_NEAR(neighbours->p, 2.0 / 32, 1e-12);
}

// By counting: three successes of the first four trials need both fair ones, 1/4.
TEST(MaskTests, UnequalTrialsByHand) {
  EXPECT_NEAR(poisson_binomial_p({0.5, 0.5, 1, 0}, 3), 0.5, 1e-12);
  EXPECT_NEAR(poisson_binomial_p({0.25, 0.5, 0.125}, 3), 2.0 / 64, 1e-12);
  EXPECT_NEAR(poisson_binomial_p({0.25, 0.5, 0.125}, 0), 2 * 21.0 / 64, 1e-12);
  EXPECT_EQ(poisson_binomial_p({}, 0), 1);
  EXPECT_NEAR(binomial_within(4, 0.5, 2, 9), 11.0 / 16, 1e-12);
}

TEST(MaskTests, ElementsThatAreNotCertainCountNowhere) {
  std::vector<TestResult> results;
  const at::Tensor all = at::ones({50}, at::kBool);
  test_mask(all, at::zeros({50}, at::kBool), at::ones({50}, at::kDouble), 0.5, results);
  test_two_masks(all, all, at::zeros({50}, at::kBool), 0.5, results);
  for (const TestResult& r : results) EXPECT_EQ(r.p, 1) << r.what;
}

}  // namespace
}  // namespace kbx
