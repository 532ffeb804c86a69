// SPDX-License-Identifier: Apache-2.0
#include "diagnose/hypotheses.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>

namespace kbx {
namespace {

at::Tensor random(at::IntArrayRef shape, uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

Argument argument(const std::string& name, ArgumentKind kind, c10::IValue value, Given given = Given::keyword) {
  Argument a;
  a.name = name;
  a.kind = kind;
  a.value = std::move(value);
  a.given = given;
  return a;
}

// out = alpha * (input @ weight) + bias
at::Tensor linear(const Call& call) {
  const auto tensor = [&](size_t i) { return call.arguments[i].value.toTensor().to(at::kDouble); };
  return at::matmul(tensor(0), tensor(1)) * call.arguments[3].value.toDouble() + tensor(2);
}

Call linear_call(const at::Tensor& input) {
  Call call;
  call.arguments = {argument("input", ArgumentKind::tensor, input), argument("weight", ArgumentKind::tensor, random({70, 24}, 2)),
                    argument("bias", ArgumentKind::tensor, random({24}, 3)), argument("alpha", ArgumentKind::real, 0.5)};
  return call;
}

// The diagnosis of `actual` as an answer to `call`.
std::vector<Diagnosis> diagnose(const Call& call, const at::Tensor& actual) {
  WrongValues v;
  v.truth = linear(call);
  v.actual = actual.to(at::kFloat);
  v.budget = at::full_like(v.truth, 1e-5);
  v.wrong = (v.actual - v.truth).abs() > 1e-5;
  return diagnose_by_hypothesis(v, call, [](const Call& changed) { return std::optional<at::Tensor>(linear(changed)); });
}

at::Tensor with(const Call& call, size_t index, c10::IValue value) {
  Call changed = call;
  changed.arguments[index].value = std::move(value);
  return linear(changed);
}

std::string first(const std::vector<Diagnosis>& found) {
  return found.empty() ? "" : found[0].pattern + ": " + found[0].evidence;
}

TEST(Hypotheses, StridedMemoryReadAsContiguous) {
  const at::Tensor whole = random({33, 140}, 1), strided = whole.slice(1, 0, 140, 2);
  const Call call = linear_call(strided);
  const at::Tensor dense = at::as_strided(whole, {33, 70}, {70, 1});
  EXPECT_EQ(first(diagnose(call, with(call, 0, dense))),
            "strides_ignored: input has strides [140, 2] and was read as if contiguous");
  EXPECT_EQ(first(diagnose(call, random({33, 24}, 9))), "");
}

TEST(Hypotheses, TransposedMemoryReadAsContiguous) {
  const at::Tensor whole = random({70, 33}, 1);
  const Call call = linear_call(whole.t());
  EXPECT_EQ(first(diagnose(call, with(call, 0, whole.view({33, 70})))).substr(0, 15), "strides_ignored");
}

TEST(Hypotheses, ExpandedInputsAreNotReadBeyondTheirMemory) {
  const Call call = linear_call(random({1, 70}, 1).expand({33, 70}));
  EXPECT_EQ(first(diagnose(call, random({33, 24}, 9))), "");
}

TEST(Hypotheses, IgnoredArgumentsAreNamed) {
  const Call call = linear_call(random({33, 70}, 1));
  EXPECT_EQ(first(diagnose(call, with(call, 2, at::zeros({24})))),
            "argument_ignored: the values are those with bias counted as zero");
  EXPECT_EQ(first(diagnose(call, with(call, 3, 1.0))), "argument_ignored: the values are those with alpha = 1");
}

TEST(Hypotheses, ADefaultedArgumentIsNotBlamed) {
  Call call = linear_call(random({33, 70}, 1));
  call.arguments[3].given = Given::defaulted;
  EXPECT_EQ(first(diagnose(call, with(call, 3, 1.0))), "");
}

TEST(Hypotheses, TheTailOfTheReductionIsNamedWithItsBlock) {
  const Call call = linear_call(random({33, 70}, 1));
  at::Tensor cut = call.arguments[0].value.toTensor().clone();
  cut.narrow(1, 64, 6).zero_();
  const std::string found = first(diagnose(call, with(call, 0, cut)));
  EXPECT_NE(found.find("tail_dropped: the last 6 of 70 elements along dimension 1 of input"), std::string::npos) << found;
}

// Of any operator: `r` is the truth, `y` was delivered.
std::string first_of(const Call& call, const at::Tensor& r, const at::Tensor& y, const Reevaluate& evaluate) {
  WrongValues v;
  v.truth = r.to(at::kDouble);
  v.actual = y.to(at::kFloat);
  v.budget = v.truth.abs() * 1e-6 + 1e-9;
  v.wrong = (v.actual - v.truth).abs().le(v.budget).logical_not();
  v.poison = {0xc3, 0x3c};
  return first(diagnose_by_hypothesis(v, call, evaluate));
}

std::optional<at::Tensor> unknown(const Call&) { return std::nullopt; }

Call pooling_call(int64_t kernel, int64_t padding) {
  Call call;
  call.arguments = {argument("input", ArgumentKind::tensor, random({2, 5, 10, 11}, 1)),
                    argument("kernel_size", ArgumentKind::integer, kernel), argument("stride", ArgumentKind::integer, int64_t{2}),
                    argument("padding", ArgumentKind::integer, padding)};
  return call;
}

TEST(Hypotheses, WindowsDividedByWhatLiesInside) {
  const Call call = pooling_call(3, 1);
  const at::Tensor x = call.arguments[0].value.toTensor();
  const at::Tensor whole = at::avg_pool2d(x, 3, 2, 1), inside = at::avg_pool2d(x, 3, 2, 1, false, false);
  EXPECT_EQ(first_of(call, whole, inside, unknown).substr(0, 12), "window_count");
  EXPECT_EQ(first_of(call, inside, whole, unknown).substr(0, 12), "window_count");
  EXPECT_EQ(first_of(call, whole, at::where(whole.eq(inside), whole, whole * 1.37), unknown), "");
}

TEST(Hypotheses, AnotherDefaultIsNamed) {
  Call call = linear_call(random({33, 70}, 1));
  call.arguments.push_back(argument("relu", ArgumentKind::boolean, false, Given::defaulted));
  const Reevaluate evaluate = [](const Call& c) {
    return std::optional<at::Tensor>(c.arguments[4].value.toBool() ? linear(c).relu() : linear(c));
  };
  EXPECT_EQ(first_of(call, linear(call), linear(call).relu(), evaluate),
            "default_differs: the values are those with relu = True, which the case leaves at False");
}

TEST(Hypotheses, ACopyThatWasFilledInsteadOfTheOutput) {
  const at::Tensor x = random({53, 33}, 1).t(), r = x.reciprocal();
  at::Tensor nothing = at::empty_like(r, at::MemoryFormat::Contiguous);
  std::memset(nothing.mutable_data_ptr(), 0xc3, nothing.nbytes());
  Call call;
  call.arguments = {argument("input", ArgumentKind::tensor, x)};
  EXPECT_EQ(first_of(call, r, nothing, unknown), "wrote_to_a_copy: no element was stored, and input has strides [1, 33]");
  call.arguments[0].value = x.contiguous();
  EXPECT_EQ(first_of(call, r, nothing, unknown), "");
  call.arguments[0].value = x;
  nothing[3][4] = 1;
  EXPECT_EQ(first_of(call, r, nothing, unknown), "");
}

// One outlier makes the mean of the truth huge; "as if the input were zero" is right nowhere all the same.
TEST(Hypotheses, AnOutlierIsNoIgnoredArgument) {
  at::Tensor x = random({66, 296}, 1);
  x[56][60] = 28;
  Call call;
  call.arguments = {argument("input", ArgumentKind::tensor, x)};
  const Reevaluate cosh = [](const Call& c) {
    return std::optional<at::Tensor>(c.arguments[0].value.toTensor().to(at::kDouble).cosh());
  };
  at::Tensor y = x.cosh();
  y[56][60] = 3e11;
  EXPECT_EQ(first_of(call, x.to(at::kDouble).cosh(), y, cosh), "");
}

TEST(Hypotheses, OtherFailuresAreNotExplained) {
  const Call call = linear_call(random({33, 70}, 1));
  const at::Tensor r = linear(call);
  for (const at::Tensor& y : {r * 2, r + 1, -r, at::zeros_like(r), at::roll(r, 1, 0), random({33, 24}, 8).to(at::kDouble)})
    EXPECT_EQ(first(diagnose(call, y)), "");
}

TEST(Hypotheses, TheCallIsLeftUnchanged) {
  const Call call = linear_call(random({33, 70}, 1));
  const at::Tensor before = call.arguments[0].value.toTensor().clone();
  diagnose(call, random({33, 24}, 9));
  EXPECT_TRUE(call.arguments[0].value.toTensor().equal(before));
}

}  // namespace
}  // namespace kbx
