// SPDX-License-Identifier: Apache-2.0
// Contract `quantised` on the schemes that are more than one product of matrices: kernels in float32 arithmetic, honest and not.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "catalogue/schema.h"
#include "catalogue/task.h"
#include "kinds/calls.h"
#include "oracle/kinds/quantised.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;

at::Tensor random(at::IntArrayRef shape, uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

Judgement judge(std::string_view task, std::vector<c10::IValue> arguments, const at::Tensor& y) {
  const Call call = call_from_values(*find_task(task), std::move(arguments));
  Expected expected;
  expected.outputs = {testing::truth("result", y, y)};  // its form alone
  return judge_quantised(call, expected, 0, delivered(y), {});
}

// How a kernel quantises. Each mistake is a change of one of these.
struct Way {
  double levels = 127;
  bool reciprocal = false, away = false, truncate = false, leave = false;
  std::optional<std::vector<int64_t>> dims = {};  // that share a scale, in place of the scheme's
  std::function<at::Tensor(const at::Tensor&)> sum = [](const at::Tensor& s) { return s; };  // what becomes of the int32 sum
};

at::Tensor int16(const at::Tensor& sum) { return sum.to(at::kLong).to(at::kShort).to(at::kFloat); }
at::Tensor half(const at::Tensor& sum) { return sum.to(at::kHalf).to(at::kFloat); }

struct Integers {
  at::Tensor q, scale;
};

Integers quantise(const at::Tensor& x, std::vector<int64_t> dims, const Way& way) {
  if (way.dims) dims = *way.dims;
  const at::Tensor absmax = x.abs().amax(dims, true);
  const at::Tensor scale = absmax.masked_fill(absmax == 0, 1) / way.levels;
  if (way.leave) return {x / scale, scale};
  const at::Tensor t = way.reciprocal ? x * (1 / scale) : x / scale;
  if (way.truncate) return {t.trunc(), scale};
  return {way.away ? t.sign() * (t.abs() + 0.5).floor() : t.round(), scale};
}

const std::vector<Way>& honest() {
  static const auto* ways = new std::vector<Way>{{}, {.reciprocal = true}, {.away = true}, {.reciprocal = true, .away = true}};
  return *ways;
}

// In float64, which is exact here and has no order of summation of its own.
at::Tensor bmm(const at::Tensor& x, const at::Tensor& w, const Way& way, const Way& other) {
  const Integers l = quantise(x, {2}, way), r = quantise(w, {1}, other);
  return way.sum(at::matmul(l.q.to(at::kDouble), r.q.to(at::kDouble)).to(at::kFloat)) * (l.scale * r.scale);
}

TEST(QuantisedBmm, TheSchemePassesAndMistakesFail) {
  const at::Tensor x = random({3, 16, 128}, 1), w = random({3, 128, 24}, 2);
  const auto passed = [&](const Way& left, const Way& right) { return judge("bmm_w8a8", {x, w}, bmm(x, w, left, right)).passed; };
  for (const Way& way : honest()) EXPECT_TRUE(passed(way, way));
  EXPECT_FALSE(judge("bmm_w8a8", {x, w}, at::matmul(x, w)).passed);
  const std::vector<Way> wrong = {
      {.levels = 128}, {.truncate = true}, {.leave = true}, {.dims = {{1, 2}}}, {.dims = {{0, 1, 2}}}};
  for (const Way& way : wrong) EXPECT_FALSE(passed(way, {}) || passed({}, way));
  EXPECT_FALSE(passed({.dims = {{0, 2}}}, {}));  // a row's scale shared by the batch
  EXPECT_FALSE(passed({.sum = int16}, {}));
  EXPECT_FALSE(passed({.sum = half}, {}));
}

at::Tensor conv2d(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, const Way& way, const Way& other) {
  const Integers l = quantise(x, {0, 1, 2, 3}, way), r = quantise(w, {1, 2, 3}, other);
  const at::Tensor sum = at::conv2d(l.q.to(at::kDouble), r.q.to(at::kDouble), {}, {2, 1}, {1, 0}).to(at::kFloat);
  const at::Tensor scale = l.scale.numel() == 1 ? l.scale * r.scale.reshape({1, -1, 1, 1}) : l.scale.amax() * r.scale.amax();
  return way.sum(sum) * scale + bias.reshape({1, -1, 1, 1});
}

TEST(QuantisedConv2d, TheSchemePassesAndMistakesFail) {
  const at::Tensor x = random({2, 32, 9, 8}, 1), w = random({8, 32, 3, 3}, 2), bias = 100 * random({8}, 3);
  const std::vector<c10::IValue> call{x, w, bias, std::vector<int64_t>{2, 1}, std::vector<int64_t>{1, 0}};
  const auto passed = [&](const Way& left, const Way& right) {
    return judge("conv2d_w8a8", call, conv2d(x, w, bias, left, right)).passed;
  };
  for (const Way& way : honest()) EXPECT_TRUE(passed(way, way));
  EXPECT_FALSE(judge("conv2d_w8a8", call, at::conv2d(x, w, bias, {2, 1}, {1, 0})).passed);
  const std::vector<Way> wrong = {{.levels = 128}, {.truncate = true}, {.leave = true}};
  for (const Way& way : wrong) EXPECT_FALSE(passed(way, {}) || passed({}, way));
  EXPECT_FALSE(passed({}, {.dims = {{0, 1, 2, 3}}}));
  EXPECT_FALSE(passed({.sum = int16}, {}));
  EXPECT_FALSE(passed({.sum = half}, {}));
  // One scale for each image, or for each channel of the input.
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{1, 2, 3}, std::vector<int64_t>{0, 2, 3}}) {
    const Integers l = quantise(x, dims, {}), r = quantise(w, {1, 2, 3}, {});
    const at::Tensor y = at::conv2d(l.q * l.scale, r.q * r.scale, bias, {2, 1}, {1, 0});
    EXPECT_FALSE(judge("conv2d_w8a8", call, y).passed);
  }
}

TEST(QuantisedLinear, TheSchemePassesAndMistakesFail) {
  const at::Tensor x = random({16, 256}, 1).to(at::kHalf), w = random({48, 256}, 2).to(at::kHalf),
                   bias = random({48}, 3).to(at::kHalf), wide = w.to(at::kFloat);
  const auto passed = [&](const at::Tensor& weight) {
    const at::Tensor y = at::matmul(x.to(at::kFloat), weight.to(at::kFloat).t()) + bias;
    return judge("linear_w4a16", {x, w, bias}, y.to(at::kHalf)).passed;
  };
  const auto dequantised = [&](const Way& way, std::vector<int64_t> dims = {1}) {
    const Integers i = quantise(wide, std::move(dims), way);
    return i.q * i.scale;
  };
  for (Way way : honest()) {
    way.levels = 7;
    EXPECT_TRUE(passed(dequantised(way)));
    EXPECT_TRUE(passed(dequantised(way).to(at::kHalf)));
  }
  EXPECT_FALSE(passed(w));
  EXPECT_FALSE(passed(dequantised({.levels = 8})));
  EXPECT_FALSE(passed(dequantised({.levels = 7.5})));
  EXPECT_FALSE(passed(dequantised({.levels = 127})));
  EXPECT_FALSE(passed(dequantised({.levels = 7, .truncate = true})));
  EXPECT_FALSE(passed(dequantised({.levels = 7}, {0})));
  EXPECT_FALSE(passed(dequantised({.levels = 7}, {0, 1})));
  const Integers scaled_in_half = quantise(w, {1}, {.levels = 7});
  EXPECT_FALSE(passed(scaled_in_half.q * scaled_in_half.scale));
}

TEST(QuantisedLayerNorm, TheSchemePassesAndMistakesFail) {
  const at::Tensor w = random({129}, 2), bias = random({129}, 3);
  const at::Tensor inputs[] = {random({32, 129}, 1), random({32, 129}, 1) + 100, random({32, 129}, 1) * 1e-3};
  for (const at::Tensor& x : inputs) {
    const auto passed = [&](const at::Tensor& y) {
      return judge("layernorm_w8a8", {x, std::vector<int64_t>{129}, w, bias, 1e-5}, y).passed;
    };
    const auto through_int8 = [](const at::Tensor& v, const Way& way) {
      const Integers i = quantise(v, {1}, way);
      return i.q * i.scale;
    };
    const at::Tensor d = x - x.mean(1, true), v = d / (d.square().mean(1, true) + 1e-5).sqrt() * w + bias;
    for (const Way& way : honest()) {
      EXPECT_TRUE(passed(through_int8(v, way)));
      EXPECT_TRUE(passed(through_int8(at::layer_norm(x, {129}, w, bias, 1e-5), way)));
    }
    EXPECT_FALSE(passed(v));
    const std::vector<Way> wrong = {{.levels = 128}, {.truncate = true}, {.dims = {{0, 1}}}};
    for (const Way& way : wrong) EXPECT_FALSE(passed(through_int8(v, way)));
    // The input quantised instead; weight and bias after the quantisation; the unbiased variance.
    EXPECT_FALSE(passed(at::layer_norm(through_int8(x, {}), {129}, w, bias, 1e-5)));
    EXPECT_FALSE(passed(through_int8(at::layer_norm(x, {129}, {}, {}, 1e-5), {}) * w + bias));
    EXPECT_FALSE(passed(through_int8(d / (x.var(1, true, true) + 1e-5).sqrt() * w + bias, {})));
    EXPECT_FALSE(passed(through_int8(at::layer_norm(x, {129}, w, bias, 1e-3), {})));
  }
}

TEST(QuantisedLayerNorm, AConstantGroupMayShowTheRoundingOfItsMean) {
  const at::Tensor x = at::full({3, 17}, 5.1f), noise = at::full({3, 17}, 4e-7f * 316);
  const std::vector<c10::IValue> call{x, std::vector<int64_t>{17}, c10::IValue(), c10::IValue(), 1e-5};
  EXPECT_TRUE(judge("layernorm_w8a8", call, at::zeros({3, 17})).passed);
  EXPECT_TRUE(judge("layernorm_w8a8", call, noise).passed);
  EXPECT_FALSE(judge("layernorm_w8a8", call, at::full({3, 17}, 0.1f)).passed);
}

struct Attention {
  Way query = {}, key = {}, probabilities = {}, value = {};
  bool unnormalised = false;  // exp(S - max) in place of the softmax, over the same sum in the end: the same integers

  at::Tensor operator()(const at::Tensor& x, const at::Tensor& y, const at::Tensor& z) const {
    const Integers q = quantise(x, {-1}, query), k = quantise(y, {-1}, key), v = quantise(z, {-2}, value);
    const at::Tensor dot = at::matmul(q.q.to(at::kDouble), k.q.mT().to(at::kDouble)).to(at::kFloat);
    const at::Tensor s = query.sum(dot) * (q.scale * k.scale.mT()) * (1 / std::sqrt(static_cast<float>(x.size(-1))));
    const at::Tensor e = (s - s.amax(-1, true)).exp(), total = e.sum(-1, true);
    const Integers p = quantise(unnormalised ? e : e / total, {-1}, probabilities);
    const at::Tensor sum = at::matmul(p.q.to(at::kDouble), v.q.to(at::kDouble)).to(at::kFloat);
    return value.sum(sum) * (unnormalised ? p.scale / total : p.scale) * v.scale;
  }
};

TEST(QuantisedAttention, TheSchemePassesAndMistakesFail) {
  const at::Tensor q = random({2, 33, 64}, 1), k = random({2, 90, 64}, 2), v = random({2, 90, 24}, 3);
  const auto passed = [&](const Attention& kernel) { return judge("attention_w8a8", {q, k, v}, kernel(q, k, v)).passed; };
  for (const Way& way : honest()) {
    EXPECT_TRUE(passed({way, way, way, way}));
    EXPECT_TRUE(passed({.query = way, .unnormalised = true}));
  }
  const at::Tensor plain = at::matmul(at::softmax(at::matmul(q, k.mT()) / 8, -1), v);
  EXPECT_FALSE(judge("attention_w8a8", {q, k, v}, plain).passed);
  const std::vector<Way> wrong = {
      {.levels = 128}, {.truncate = true}, {.leave = true}, {.dims = {{-1, -2}}}, {.dims = {{0, 1, 2}}}};
  for (const Way& way : wrong) {
    EXPECT_FALSE(passed({.query = way}));
    EXPECT_FALSE(passed({.key = way}));
    EXPECT_FALSE(passed({.probabilities = way}));
    EXPECT_FALSE(passed({.value = way}));
  }
  EXPECT_FALSE(passed({.query = {.sum = int16}}));
  EXPECT_FALSE(passed({.value = {.sum = half}}));
}

}  // namespace
}  // namespace kbx
