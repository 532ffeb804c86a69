// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/fractional_pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "catalogue/cases.h"
#include "kinds/calls.h"
#include "oracle/kinds/pooling_intervals.h"

namespace kbx {
namespace {

using testing::detail;

// Where the windows of a plane start, along one axis.
using Starts1 = std::vector<int64_t>;

Starts1 starts(float u, int64_t in, int64_t out, int64_t kernel) {
  Starts1 s;
  const float alpha = out > 1 ? static_cast<float>(in - kernel) / static_cast<float>(out - 1) : 0;
  for (int64_t i = 0; i + 1 < out; ++i)
    s.push_back(static_cast<int64_t>((static_cast<float>(i) + u) * alpha) - static_cast<int64_t>(u * alpha));
  s.push_back(in - kernel);
  return s;
}

// The same from torch: the position of the maximum of a rising plane is the last row and column of its window.
Starts1 torchs_starts(float u, int64_t in, int64_t out, int64_t kernel) {
  const at::Tensor plane = at::arange(in * in, at::kFloat).view({1, 1, in, in});
  const auto [maxima, positions] =
      at::fractional_max_pool2d(plane, {kernel, kernel}, {out, out}, at::full({1, 1, 2}, u, at::kFloat));
  Starts1 s;
  for (int64_t i = 0; i < out; ++i) s.push_back(positions[0][0][i][0].item<int64_t>() / in - kernel + 1);
  return s;
}

TEST(PoolingIntervals, AreThoseOfTorchForEveryNumber) {
  std::mt19937 stream(3);
  for (const auto& [in, out, kernel] : std::vector<std::array<int64_t, 3>>{
           {8, 4, 2}, {23, 10, 2}, {17, 7, 3}, {9, 9, 1}, {8, 1, 8}, {7, 1, 2}, {29, 13, 1}, {64, 31, 2}}) {
    const Intervals intervals = pooling_intervals(in, out, kernel);
    EXPECT_EQ(intervals.proper.front().low, 0);
    EXPECT_EQ(intervals.proper.back().high, 1);
    for (int draw = 0; draw < 200; ++draw) {
      const float u = static_cast<float>(stream() >> 8) * 0x1p-24f;
      const Starts1 expected = torchs_starts(u, in, out, kernel);
      const double phase = u * intervals.alpha - std::floor(u * intervals.alpha);
      for (const Starts& s : intervals.proper) {
        if (phase < s.low || phase >= s.high || std::min(phase - s.low, s.high - phase) < 1e-5) continue;
        for (size_t i = 0; i < s.at.size(); ++i) {
          EXPECT_EQ(s.at[i].first, expected[i]) << in << " " << out << " " << kernel << " u=" << u;
          EXPECT_EQ(s.at[i].second, expected[i]);
        }
      }
    }
  }
}

// With a step of 7/3 a third of all phases changes a start; u in [0, 1/7), [3/7, 4/7) and [6/7, 1) has the first third.
TEST(PoolingIntervals, EdgesAndProbabilitiesByHand) {
  const Intervals intervals = pooling_intervals(23, 10, 2);
  ASSERT_EQ(intervals.proper.size(), 3u);
  EXPECT_NEAR(intervals.proper[0].high, 1.0 / 3, 1e-12);
  EXPECT_NEAR(intervals.proper[1].high, 2.0 / 3, 1e-12);
  EXPECT_NEAR(intervals.below(1.0 / 3), 3.0 / 7, 1e-12);
  EXPECT_NEAR(intervals.below(2.0 / 3), 5.0 / 7, 1e-12);
  EXPECT_NEAR(intervals.below(1), 1, 1e-12);
}

constexpr const char* kTask = "fused_fractional_max_pool2d_with_relu";

// Numbers for each plane and axis, from a stream that is not torch's.
using Numbers = std::function<at::Tensor(int64_t planes, uint64_t seed)>;  // [planes, 2]

at::Tensor honest_numbers(int64_t planes, uint64_t seed) {
  at::Tensor u = at::empty({planes, 2}, at::kFloat);
  std::mt19937 stream(static_cast<uint32_t>(seed * 2654435761u + 1));
  for (int64_t i = 0; i < u.numel(); ++i) u.mutable_data_ptr<float>()[i] = static_cast<float>(stream() >> 8) * 0x1p-24f;
  return u;
}

struct Problem {
  Call call;
  Expected expected;
  at::Tensor input;
  std::vector<int64_t> out, kernel;
};

Problem problem(const char* line) {
  const Result<Case> c = parse_case(*find_task(kTask), line);
  EXPECT_TRUE(c.ok());
  Result<Call> call = bind(*find_task(kTask), *c, 23, at::kCPU);
  EXPECT_TRUE(call.ok());
  Problem p{*call, consult_oracle(*call), Args(*call).tensor("input"), {}, Args(*call).ints("kernel_size")};
  p.out = p.expected.outputs[0].shape;
  return p;
}

using StartsOf = std::function<Starts1(float u, int64_t in, int64_t out, int64_t kernel)>;

Values pooled(const Problem& p, const at::Tensor& input, const at::Tensor& u, const StartsOf& starts_of) {
  const int64_t height = input.size(-2), width = input.size(-1), rows = p.out.end()[-2], columns = p.out.back();
  const at::Tensor planes = input.reshape({-1, height, width});
  at::Tensor maxima = at::empty({planes.size(0), rows, columns}),
             positions = at::empty({planes.size(0), rows, columns}, at::kLong);
  for (int64_t n = 0; n < planes.size(0); ++n) {
    const Starts1 h = starts_of(u[n][1].item<float>(), height, rows, p.kernel[0]),
                  w = starts_of(u[n][0].item<float>(), width, columns, p.kernel[1]);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        const at::Tensor window = planes[n].narrow(0, h[i], p.kernel[0]).narrow(1, w[j], p.kernel[1]).contiguous().flatten();
        const int64_t best = window.argmax().item<int64_t>();
        maxima[n][i][j] = window[best];
        positions[n][i][j] = (h[i] + best / p.kernel[1]) * width + w[j] + best % p.kernel[1];
      }
  }
  return {maxima.view(p.out), positions.view(p.out)};
}

using Candidate = std::function<Values(const Problem&, uint64_t seed)>;

Candidate with(const Numbers& numbers, const StartsOf& starts_of = starts) {
  return [=](const Problem& p, uint64_t seed) {
    const int64_t planes = p.input.numel() / (p.input.size(-2) * p.input.size(-1));
    return pooled(p, at::relu(p.input), numbers(planes, seed), starts_of);
  };
}

Judgement judge(const Problem& p, const Candidate& candidate, uint64_t seed = 1000) {
  std::vector<Delivery> deliveries;
  for (const uint64_t s : seeds_to_call(*p.call.task, seed)) {
    Values values = candidate(p, s);
    values.resize(p.expected.outputs.size());
    Delivery delivery;
    for (const at::Tensor& value : values) delivery.push_back({value, ""});
    deliveries.push_back(std::move(delivery));
  }
  return judge_outputs(p.call, p.expected, deliveries);
}

constexpr const char* kPlain = "standard: input=randn[4,14,18,17] kernel_size=2 output_size=[12,8]";
constexpr const char* kIndexed = "standard: input=randn[4,14,17,17] kernel_size=[3,2] output_size=[6,7] return_indices=true";

TEST(FractionalPooling, HonestWindowsPass) {
  for (const char* line : {kPlain, kIndexed}) {
    const Problem p = problem(line);
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Judgement j = judge(p, with(honest_numbers), 1000 + 7 * seed);
      EXPECT_TRUE(j.passed) << line << " " << seed << ": " << detail(j);
      EXPECT_LT(j.ratio, 0.9);
    }
  }
}

TEST(FractionalPooling, TorchPasses) {
  const Problem p = problem(kIndexed);
  const Judgement j = judge(p, [](const Problem& q, uint64_t seed) -> Values {
    const at::Tensor u = at::rand({4, 14, 2}, at::make_generator<at::CPUGeneratorImpl>(seed));
    const auto [maxima, positions] = at::fractional_max_pool2d(at::relu(q.input), q.kernel, {q.out.end()[-2], q.out.back()}, u);
    return {maxima, positions};
  });
  EXPECT_TRUE(j.passed) << detail(j);
}

// float32 puts a product on either side of a whole number: no number of a generator is illegal.
TEST(FractionalPooling, NumbersOnAnEdgePass) {
  const Problem p = problem("standard: input=randn[4,23,22] kernel_size=2 output_size=10");
  for (const float edge : {0.f, 1.f / 7, 2.f / 7, 3.f / 7, 4.f / 7, 5.f / 7, 6.f / 7, 1 - 0x1p-24f})
    for (const float u : {edge, std::nextafter(edge, 0.f), std::min(std::nextafter(edge, 1.f), 1 - 0x1p-24f)}) {
      const Judgement j = judge(p, [&](const Problem& q, uint64_t seed) {
        at::Tensor numbers = honest_numbers(4, seed);
        numbers[1][0] = u;
        numbers[2][1] = u;
        return pooled(q, at::relu(q.input), numbers, starts);
      });
      EXPECT_TRUE(j.passed) << u << ": " << detail(j);
    }
}

TEST(FractionalPooling, WrongWindowsFail) {
  const std::vector<std::pair<const char*, Candidate>> wrong = {
      {"always 0", with([](int64_t n, uint64_t) {
         return at::zeros({n, 2});
       })},
      {"always a half", with([](int64_t n, uint64_t) {
         return at::full({n, 2}, 0.51);
       })},
      {"the seed is ignored", with([](int64_t n, uint64_t) { return honest_numbers(n, 5); })},
      {"the seed does not repeat",
       with([k = std::make_shared<uint64_t>(0)](int64_t n, uint64_t) { return honest_numbers(n, ++*k); })},
      {"one number for all planes", with([](int64_t n, uint64_t s) {
         return honest_numbers(1, s).expand({n, 2}).contiguous();
       })},
      {"one number for all channels",
       with([](int64_t n, uint64_t s) { return honest_numbers(n / 14, s).repeat_interleave(14, 0); })},
      {"one number for all images", with([](int64_t, uint64_t s) {
         return honest_numbers(14, s).repeat({4, 1});
       })},
      {"regular strides", with(honest_numbers,
                               [](float, int64_t in, int64_t out, int64_t kernel) {
                                 Starts1 s;
                                 for (int64_t i = 0; i < out; ++i) s.push_back(std::min(i * (in / out), in - kernel));
                                 return s;
                               })},
      {"rounded up", with(honest_numbers,
                          [](float u, int64_t in, int64_t out, int64_t kernel) {
                            Starts1 s = starts(u, in, out, kernel);
                            for (size_t i = 1; i + 1 < s.size(); ++i) s[i] = std::min(s[i] + 1, in - kernel);
                            return s;
                          })},
      {"the last window not at the end", with(honest_numbers,
                                              [](float u, int64_t in, int64_t out, int64_t kernel) {
                                                Starts1 s = starts(u, in, out, kernel);
                                                s.back() -= 1;
                                                return s;
                                              })},
      {"another sequence in each row of windows",
       [](const Problem& p, uint64_t seed) {
         const int64_t planes = 4 * 14;
         Values all = pooled(p, at::relu(p.input), honest_numbers(planes, seed), starts);
         const Values other = pooled(p, at::relu(p.input), honest_numbers(planes, seed + 77), starts);
         for (size_t i = 0; i < all.size(); ++i) all[i].select(-2, 2).copy_(other[i].select(-2, 2));
         return all;
       }},
      {"no ReLU", [](const Problem& p, uint64_t seed) { return pooled(p, p.input, honest_numbers(4 * 14, seed), starts); }},
      {"one maximum is a little off",
       [](const Problem& p, uint64_t seed) {
         Values all = with(honest_numbers)(p, seed);
         all[0].flatten()[77] += 1e-6;
         return all;
       }},
      {"one output not written",
       [](const Problem& p, uint64_t seed) {
         Values all = with(honest_numbers)(p, seed);
         all[0].flatten()[0] = -1;
         return all;
       }},
      {"half precision",
       [](const Problem& p, uint64_t seed) {
         Values all = with(honest_numbers)(p, seed);
         return Values{all[0].to(at::kHalf).to(at::kFloat), all[1]};
       }},
  };
  for (const char* line : {kPlain, kIndexed}) {
    const Problem p = problem(line);
    for (const auto& [name, candidate] : wrong) EXPECT_FALSE(judge(p, candidate).passed) << name << ": " << line;
  }
}

// Where the step is the same for both axes, so is what one number gives.
TEST(FractionalPooling, OneNumberForBothAxesFails) {
  const Problem p = problem("standard: input=randn[4,14,18,18] kernel_size=2 output_size=12");
  EXPECT_TRUE(judge(p, with(honest_numbers)).passed);
  EXPECT_FALSE(judge(p, with([](int64_t n, uint64_t s) {
                       return honest_numbers(n, s).narrow(1, 0, 1).expand({n, 2}).contiguous();
                     }))
                   .passed);
}

// With a step below two, small numbers give no large phases.
TEST(FractionalPooling, NumbersBelowAHalfFail) {
  const Problem p = problem("standard: input=randn[4,14,18,18] kernel_size=2 output_size=12");
  EXPECT_FALSE(judge(p, with([](int64_t n, uint64_t s) { return honest_numbers(n, s) * 0.5; })).passed);
}

TEST(FractionalPooling, WrongPositionsFail) {
  const Problem p = problem(kIndexed);
  const auto moved = [&](auto change) {
    return judge(p, [&](const Problem& q, uint64_t seed) {
      Values all = with(honest_numbers)(q, seed);
      change(all[1]);
      return all;
    });
  };
  EXPECT_TRUE(moved([](at::Tensor&) {}).passed);
  EXPECT_FALSE(moved([](at::Tensor& x) { x.flatten()[5] += 1; }).passed);
  EXPECT_FALSE(moved([](at::Tensor& x) { x.flatten()[5] = -1; }).passed);
  EXPECT_FALSE(moved([](at::Tensor& x) { x.flatten()[5] = int64_t{1} << 40; }).passed);
  EXPECT_FALSE(moved([](at::Tensor& x) { x.fill_(0); }).passed);
  EXPECT_FALSE(moved([&](at::Tensor& x) { x.add_((at::arange(56) * 17 * 17).view({4, 14, 1, 1})); }).passed);  // in the tensor
  EXPECT_FALSE(moved([&](at::Tensor& x) { x.copy_(x % 17 * 17 + x.div(17, "floor")); }).passed);               // transposed
  EXPECT_FALSE(moved([&](at::Tensor& x) { x = x.to(at::kInt); }).passed);
}

TEST(FractionalPooling, WithoutChoiceOnlyTheInputRemains) {
  const Problem p = problem("boundary: input=randn[2,3,9,11] kernel_size=1 output_size=[9,11]");
  EXPECT_TRUE(judge(p, [](const Problem& q, uint64_t) -> Values { return {at::relu(q.input)}; }).passed);
  EXPECT_FALSE(judge(p, [](const Problem& q, uint64_t) -> Values { return {q.input}; }).passed);
}

// Equal numbers everywhere: any window will do, and no test of the numbers behind them may speak.
TEST(FractionalPooling, PlanesOfEqualNumbersTellNothing) {
  const Problem p = problem("boundary: input=randn[20,23,22]@shift(-50) kernel_size=2 output_size=10");
  const Judgement j = judge(p, [](const Problem& q, uint64_t) -> Values { return {at::zeros(q.out)}; });
  EXPECT_TRUE(j.passed) << detail(j);
}

}  // namespace
}  // namespace kbx
