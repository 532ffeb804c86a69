// SPDX-License-Identifier: Apache-2.0
// Honest computations pass and degraded ones fail, operator by operator.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "contracts/rounding.h"
#include "core/verdict.h"
#include "oracle/judgement.h"
#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::judge;
using testing::local_task;

at::Tensor cut_tf32(const at::Tensor& x) { return round_significand(x.to(at::kDouble), 11).to(x.scalar_type()); }
at::Tensor through(const at::Tensor& x, at::ScalarType type) { return x.to(type).to(x.scalar_type()); }

// One operator with one judged case.
class Operator {
 public:
  Operator(std::string_view schema, Values (*reference)(const Args&), std::vector<at::Tensor> inputs)
      : task_(local_task(schema, reference)), inputs_(std::move(inputs)) {
    call_ = call_of(task_, {inputs_.begin(), inputs_.end()});
    expected_ = consult_oracle(call_);
  }

  at::Tensor reference_on(at::Tensor (*change)(const at::Tensor&)) const {
    std::vector<c10::IValue> changed;
    for (const at::Tensor& x : inputs_) changed.emplace_back(change(x));
    const Call call = call_of(task_, changed);
    return task_.reference(Args(call)).front();
  }
  Judgement verdict(const at::Tensor& y) const { return judge(call_, expected_, {y.to(expected_.outputs.front().dtype)}); }

  void passes(const char* what, const at::Tensor& y) const {
    const Judgement j = verdict(y);
    EXPECT_TRUE(j.passed) << what << ": " << j.ratio << (j.findings.empty() ? "" : " " + j.findings[0].detail);
  }
  void fails(const char* what, const at::Tensor& y) const {
    const Judgement j = verdict(y);
    EXPECT_FALSE(j.passed) << what << ": " << j.ratio;
    EXPECT_EQ(j.findings.size(), 1u) << what;
    EXPECT_GT(j.accuracy, Accuracy::fp32) << what;
  }

  // What every float32 operator has in common.
  void judge_common() const {
    const at::Tensor eager = reference_on([](const at::Tensor& x) { return x; });
    const at::Tensor rounded = reference_on([](const at::Tensor& x) { return x.to(at::kDouble); });
    passes("eager", eager);
    EXPECT_EQ(verdict(eager).accuracy, Accuracy::fp32);
    passes("float64, rounded", rounded);
    EXPECT_EQ(verdict(rounded).accuracy, Accuracy::exact);
    fails("TF32 inputs", reference_on(cut_tf32));
    fails("fp16 inputs", reference_on([](const at::Tensor& x) { return through(x, at::kHalf); }));
    fails("bf16 inputs", reference_on([](const at::Tensor& x) { return through(x, at::kBFloat16); }));
    fails("zeros", at::zeros_like(eager));
  }

 private:
  Task task_;
  std::vector<at::Tensor> inputs_;
  Call call_;
  Expected expected_;
};

class Variants : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(11); }
};

TEST_F(Variants, Gelu) {
  const at::Tensor x = at::randn({64, 257});
  const Operator op("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::gelu(a.tensor("x"))}; }, {x});
  op.judge_common();
  op.passes("by erf in other steps", x * (at::erf(x * 0.70710678f) * 0.5 + 0.5));
  op.fails("tanh form", at::gelu(x, "tanh"));
}

TEST_F(Variants, Softmax) {
  const at::Tensor x = at::randn({64, 511});
  const Operator op("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").softmax(-1)}; }, {x});
  op.judge_common();
  const at::Tensor by_exp2 = ((x - x.amax(-1, true)) * 1.44269504f).exp2();
  op.passes("exp2 and a sum in halves",
            by_exp2 / (by_exp2.narrow(1, 0, 255).sum(-1, true) + by_exp2.narrow(1, 255, 256).sum(-1, true)));
  const at::Tensor e = x.exp();
  op.passes("without the maximum", e / e.sum(-1, true));
  op.fails("accumulated in fp16", e / e.to(at::kHalf).cumsum(-1).narrow(1, 510, 1).to(at::kFloat));
  op.fails("padded by exp(0)", e / (e.sum(-1, true) + 1));
}

TEST_F(Variants, Sum) {
  const at::Tensor x = at::randn({64, 1000});
  const Operator op("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").sum(-1)}; }, {x});
  op.judge_common();
  at::Tensor sequential = at::zeros({64}), half = at::zeros({64}, at::kHalf);
  for (int64_t i = 0; i < 1000; ++i) {
    sequential = sequential + x.select(1, i);
    half = half + x.select(1, i).to(at::kHalf);
  }
  op.passes("sequential", sequential);
  op.passes("split in lanes", x.view({64, 40, 25}).sum(1).sum(-1));
  op.fails("fp16 accumulator", half);
  op.fails("last element missing", x.narrow(1, 0, 999).sum(-1));
}

TEST_F(Variants, LayerNorm) {
  const at::Tensor x = at::randn({64, 511}) * 1e-2, weight = at::randn({511}), bias = at::randn({511});
  const Operator op(
      "t(Tensor x, Tensor weight, Tensor bias) -> Tensor",
      [](const Args& a) -> Values { return {at::layer_norm(a.tensor("x"), {511}, a.tensor("weight"), a.tensor("bias"), 1e-5)}; },
      {x, weight, bias});
  op.judge_common();
  const at::Tensor centred = x - x.mean(-1, true), variance = centred.square().mean(-1, true);
  op.passes("two passes", centred * (variance + 1e-5).rsqrt() * weight + bias);
  op.fails("no epsilon", centred * variance.rsqrt() * weight + bias);
  op.fails("unbiased variance", centred * (variance * (511.0 / 510) + 1e-5).rsqrt() * weight + bias);
  op.fails("no bias", centred * (variance + 1e-5).rsqrt() * weight);
}

Values matmul(const Args& a) { return {at::matmul(a.tensor("x"), a.tensor("w"))}; }
constexpr std::string_view kMatmul = "t(Tensor x, Tensor w) -> Tensor";

TEST_F(Variants, Matmul) {
  const at::Tensor x = at::randn({64, 511}), w = at::randn({511, 96});
  const Operator op(kMatmul, matmul, {x, w});
  op.judge_common();
  at::Tensor sequential = at::zeros({64, 96});
  for (int64_t k = 0; k < 511; ++k) sequential = sequential + x.narrow(1, k, 1) * w.narrow(0, k, 1);
  op.passes("sequential", sequential);
  op.passes("split K",
            at::matmul(x.narrow(1, 0, 256), w.narrow(0, 0, 256)) + at::matmul(x.narrow(1, 256, 255), w.narrow(0, 256, 255)));
  op.fails("rows in the wrong order", at::matmul(x.flip(0), w));
  EXPECT_EQ(op.verdict(at::matmul(through(x, at::kBFloat16), through(w, at::kBFloat16))).accuracy, Accuracy::bf16);
  EXPECT_EQ(op.verdict(through(at::matmul(x, w), at::kHalf)).accuracy, Accuracy::fp16);
  EXPECT_EQ(op.verdict(at::randn({64, 96})).accuracy, Accuracy::wrong);
  const Judgement tf32 = op.verdict(at::matmul(cut_tf32(x), cut_tf32(w)));
  EXPECT_EQ(tf32.accuracy, Accuracy::tf32);
  EXPECT_NE(tf32.findings[0].detail.find("inputs cut to TF32 or fp16"), std::string::npos) << tf32.findings[0].detail;
}

TEST_F(Variants, LinearWithBias) {
  const at::Tensor x = at::randn({64, 128}), w = at::randn({96, 128}), bias = at::randn({96}) * 100;
  const Operator op("t(Tensor x, Tensor w, Tensor bias) -> Tensor",
                    [](const Args& a) -> Values { return {at::linear(a.tensor("x"), a.tensor("w"), a.tensor("bias"))}; },
                    {x, w, bias});
  op.judge_common();
  op.fails("no bias", at::linear(x, w));
  const Judgement tf32 = op.verdict(at::linear(cut_tf32(x), cut_tf32(w)) + bias);
  EXPECT_FALSE(tf32.passed);
  EXPECT_EQ(tf32.accuracy, Accuracy::tf32);
  // Only a hypothesis that leaves the bias alone explains it.
  EXPECT_NE(tf32.findings[0].detail.find("cut to TF32"), std::string::npos) << tf32.findings[0].detail;
}

TEST_F(Variants, SixteenBitMatmul) {
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16}) {
    const at::Tensor x = at::randn({32, 511}).to(type), w = at::randn({511, 48}).to(type);
    const Operator op(kMatmul, matmul, {x, w});
    op.passes("eager", at::matmul(x, w));
    op.passes("float32 accumulator", at::matmul(x.to(at::kFloat), w.to(at::kFloat)));
    at::Tensor accumulator = at::zeros({32, 48}, type);
    for (int64_t k = 0; k < 511; ++k) accumulator = accumulator + x.narrow(1, k, 1) * w.narrow(0, k, 1);
    op.fails("16-bit accumulator", accumulator);
  }
}

TEST_F(Variants, DoubleRejectsFloat) {
  const at::Tensor x = at::randn({64, 300}, at::kDouble), w = at::randn({300, 64}, at::kDouble);
  const Operator op(kMatmul, matmul, {x, w});
  at::Tensor sequential = at::zeros({64, 64}, at::kDouble);
  for (int64_t k = 0; k < 300; ++k) sequential = sequential + x.narrow(1, k, 1) * w.narrow(0, k, 1);
  EXPECT_TRUE(op.verdict(sequential).passed);
  EXPECT_EQ(op.verdict(sequential).accuracy, Accuracy::fp64);
  EXPECT_FALSE(op.verdict(at::matmul(x.to(at::kFloat), w.to(at::kFloat))).passed);
}

TEST_F(Variants, CutInputsAreNamedThoughTheBudgetHidesThem) {
  // Same-sign products: the effect of rounded inputs averages out, below what a sequential sum may err.
  const at::Tensor x = at::rand({16, 4096}), w = at::rand({4096, 16});
  const Operator op(kMatmul, matmul, {x, w});
  op.passes("eager", at::matmul(x, w));
  const at::Tensor cut = at::matmul(cut_tf32(x), cut_tf32(w));
  const Judgement tf32 = op.verdict(cut);
  EXPECT_LT(tf32.ratio, 1);
  EXPECT_FALSE(tf32.passed);
  EXPECT_EQ(tf32.accuracy, Accuracy::tf32);
  EXPECT_EQ(tf32.findings[0].wrong_elements, 0);
  // A factor that tensor cores add hides it from the plain distance, not from the fitted one.
  const Judgement drifted = op.verdict(cut * (1 - 100 * 0x1p-24));
  EXPECT_LT(drifted.ratio, 1);
  EXPECT_FALSE(drifted.passed);
}

}  // namespace
}  // namespace kbx
