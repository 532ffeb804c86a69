// SPDX-License-Identifier: Apache-2.0
// What counts as an output, in which precision the truth is, and what the oracle leaves alone.
#include "oracle/oracle.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "oracle/judgement.h"
#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::judge;
using testing::local_task;

class Oracle : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(5); }
};

TEST_F(Oracle, TruthIsMoreAccurateThanEager) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").sum(-1)}; });
  const at::Tensor x = at::tensor({1e8f, 1.0f, -1e8f});
  const Expected expected = consult_oracle(call_of(task, {x}));
  EXPECT_EQ(expected.outputs[0].value.scalar_type(), at::kDouble);
  EXPECT_EQ(expected.outputs[0].value.item<double>(), 1);
  EXPECT_EQ(expected.outputs[0].dtype, at::kFloat);
  EXPECT_EQ(expected.outputs[0].name, "result");
}

TEST_F(Oracle, SameSeedSameBudgetAndInputsUntouched) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").softmax(-1)}; });
  const at::Tensor x = at::randn({5, 33}), before = x.clone();
  const Expected a = consult_oracle(call_of(task, {x}, 3)), b = consult_oracle(call_of(task, {x}, 3)),
                 c = consult_oracle(call_of(task, {x}, 4));
  EXPECT_TRUE(at::equal(x, before));
  EXPECT_TRUE(at::equal(a.outputs[0].budget, b.outputs[0].budget));
  EXPECT_FALSE(at::equal(a.outputs[0].budget, c.outputs[0].budget));
}

TEST_F(Oracle, DtypeArgumentIsEvaluatedInDoubleAndDeliveredAsAsked) {
  const Task task = local_task("t(Tensor x, ScalarType? dtype=None) -> Tensor",
                               [](const Args& a) -> Values { return {at::softmax(a.tensor("x"), -1, a.maybe_dtype("dtype"))}; });
  const at::Tensor x = at::randn({4, 100}).to(at::kHalf);
  const Expected expected = consult_oracle(call_of(task, {x, static_cast<int64_t>(at::kFloat)}));
  EXPECT_EQ(expected.outputs[0].dtype, at::kFloat);
  EXPECT_TRUE(at::equal(expected.outputs[0].value, x.to(at::kDouble).softmax(-1)));
}

TEST_F(Oracle, DoubleOutputOfFloatInputsRejectsFloatArithmetic) {
  const Task task = local_task("t(Tensor x, ScalarType? dtype=None) -> Tensor",
                               [](const Args& a) -> Values { return {at::softmax(a.tensor("x"), -1, a.maybe_dtype("dtype"))}; });
  const at::Tensor x = at::randn({4, 100});
  const Call call = call_of(task, {x, static_cast<int64_t>(at::kDouble)});
  EXPECT_TRUE(judge(call, at::softmax(x, -1, at::kDouble)).passed);
  EXPECT_FALSE(judge(call, x.softmax(-1).to(at::kDouble)).passed);
}

TEST_F(Oracle, NumberGivenForATensorIsTakenInDouble) {
  const Task task =
      local_task("t(Tensor x, Tensor y) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") * a.tensor("y")}; });
  at::Tensor number = at::scalar_tensor(0.1, at::kDouble);
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  const at::Tensor x = at::randn({100});
  const Call call = call_of(task, {x, number});
  const Expected expected = consult_oracle(call);
  EXPECT_EQ(expected.outputs[0].dtype, at::kFloat);
  EXPECT_TRUE(at::equal(expected.outputs[0].value, x.to(at::kDouble) * 0.1));
  EXPECT_TRUE(judge(call, expected, {x * 0.1f}).passed);
  EXPECT_FALSE(judge(call, expected, {x * at::tensor(0.1f).to(at::kBFloat16).to(at::kFloat)}).passed);
}

// A kernel computes the exponents in float32, the library in float64: the former is as good as float32 can be.
TEST_F(Oracle, NumbersOfACallWithoutTensorsAreItsInputs) {
  Task task = local_task("t(Scalar start, Scalar end, int steps) -> Tensor", [](const Args& a) -> Values {
    return {at::logspace(a.scalar("start"), a.scalar("end"), a.integer("steps"), 10.0, at::TensorOptions(at::kFloat))};
  });
  task.oracle = [](const Args& a) -> Values {
    return {at::logspace(a.scalar("start"), a.scalar("end"), a.integer("steps"), 10.0, at::TensorOptions(at::kDouble))};
  };
  const Call call = call_of(task, {-20.0, int64_t{20}, int64_t{259}});
  const at::Tensor exponents = at::linspace(-20, 20, 259);
  EXPECT_TRUE(judge(call, (exponents * std::log(10.0)).exp()).passed);
  EXPECT_FALSE(judge(call, (exponents.to(at::kHalf).to(at::kFloat) * std::log(10.0)).exp()).passed);
}

TEST_F(Oracle, TensorListsAreCast) {
  const Task task =
      local_task("t(Tensor[] xs) -> Tensor", [](const Args& a) -> Values { return {at::stack(a.tensors("xs")).sum(0)}; });
  const at::Tensor a = at::tensor({1e8f}), b = at::tensor({1.0f});
  const Expected expected = consult_oracle(call_of(task, {c10::List<at::Tensor>({a, b, a.neg()})}));
  EXPECT_EQ(expected.outputs[0].value.item<double>(), 1);
}

TEST_F(Oracle, WrittenArgumentIsAnOutputOnlyIfItChanges) {
  const Task task =
      local_task("t(Tensor(a!) parameter, Tensor(b!) momentum, Tensor gradient, float rate, bool with_momentum) -> ()",
                 [](const Args& a) -> Values {
                   if (a.flag("with_momentum")) a.tensor("momentum").mul_(0.9).add_(a.tensor("gradient"));
                   a.tensor("parameter").sub_(a.tensor("gradient") * a.real("rate"));
                   return {};
                 });
  const at::Tensor parameter = at::randn({7}), momentum = at::randn({7}), gradient = at::randn({7}), before = parameter.clone();
  const Call plain = call_of(task, {parameter, momentum, gradient, 0.1, false});
  const Expected expected = consult_oracle(plain);
  ASSERT_EQ(expected.outputs.size(), 1u);
  EXPECT_EQ(expected.outputs[0].name, "parameter");
  EXPECT_EQ(expected.outputs[0].argument, 0);
  EXPECT_EQ(expected.outputs[0].returned, -1);
  EXPECT_TRUE(at::equal(parameter, before));
  EXPECT_TRUE(at::allclose(expected.outputs[0].value, (before.to(at::kDouble) - 0.1 * gradient.to(at::kDouble))));
  EXPECT_TRUE(judge(plain, expected, {before - 0.1f * gradient}).passed);
  EXPECT_FALSE(judge(plain, expected, {before}).passed);
  const Expected both = consult_oracle(call_of(task, {parameter, momentum, gradient, 0.1, true}));
  ASSERT_EQ(both.outputs.size(), 2u);
  EXPECT_EQ(both.outputs[1].name, "momentum");
}

TEST_F(Oracle, InPlaceResultIsItsArgument) {
  const Task task = local_task("t(Tensor(a!) x) -> Tensor(a!)", [](const Args& a) -> Values { return {a.tensor("x").relu_()}; });
  const at::Tensor x = at::randn({9});
  const Expected expected = consult_oracle(call_of(task, {x}));
  ASSERT_EQ(expected.outputs.size(), 1u);
  EXPECT_EQ(expected.outputs[0].returned, 0);
  EXPECT_EQ(expected.outputs[0].argument, 0);
  EXPECT_EQ(expected.outputs[0].name, "x");
  EXPECT_LT(x.min().item<float>(), 0);
}

TEST_F(Oracle, OutIsAnOutputAndItsFormerContentsDoNotMatter) {
  const Task task = local_task("t(Tensor x, *, Tensor(a!)? out=None) -> Tensor", [](const Args& a) -> Values {
    const at::Tensor result = a.tensor("x").tanh();
    const auto out = a.maybe_tensor("out");
    if (!out) return {result};
    out->copy_(result);
    return {*out};
  });
  const at::Tensor x = at::randn({300}), out = at::full({300}, std::numeric_limits<float>::quiet_NaN());
  const Call call = call_of(task, {x, out});
  const Expected expected = consult_oracle(call);
  ASSERT_EQ(expected.outputs.size(), 1u);
  EXPECT_EQ(expected.outputs[0].name, "out");
  EXPECT_EQ(expected.outputs[0].argument, 1);
  EXPECT_TRUE(out.isnan().all().item<bool>());
  EXPECT_TRUE(judge(call, expected, {x.tanh()}).passed);
  EXPECT_FALSE(judge(call, expected, {x}).passed);
  EXPECT_EQ(consult_oracle(call_of(task, {x, c10::IValue()})).outputs[0].name, "result");
}

TEST_F(Oracle, TruthDoesNotFollowTheInputsItWasAViewOf) {
  const Task task = local_task(
      "t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").t()}; }, exact());
  at::Tensor x = at::randn({3, 4}, at::kDouble);
  const Expected expected = consult_oracle(call_of(task, {x}));
  const at::Tensor before = x.t().clone();
  x.zero_();
  EXPECT_TRUE(at::equal(expected.outputs[0].value, before));
  EXPECT_TRUE(at::equal(expected.outputs[0].eager, before));
}

TEST_F(Oracle, ReturnNamesComeFromTheSchema) {
  const Task task = local_task("t(Tensor x) -> (Tensor values, Tensor indices)", [](const Args& a) -> Values {
    auto [values, indices] = a.tensor("x").max(-1);
    return {values, indices};
  });
  const at::Tensor x = at::randn({4, 50});
  const Call call = call_of(task, {x});
  const Expected expected = consult_oracle(call);
  EXPECT_EQ(expected.outputs[0].name, "values");
  EXPECT_EQ(expected.outputs[1].name, "indices");
  EXPECT_EQ(expected.outputs[1].dtype, at::kLong);
  auto [values, indices] = x.max(-1);
  EXPECT_TRUE(judge(call, expected, {values, indices}).passed);
  EXPECT_FALSE(judge(call, expected, {values, indices + 1}).passed);
}

TEST_F(Oracle, IntegersFromARoundingAreFreeByOneStepOnTies) {
  const Task task = local_task("t(Tensor x, float s) -> Tensor",
                               [](const Args& a) -> Values { return {(a.tensor("x") / a.real("s")).floor().to(at::kInt)}; });
  const at::Tensor x = at::tensor({0.5f, 2.0f, 3.7f});
  const Call call = call_of(task, {x, 0.5});
  const auto passes = [&](int a, int b, int c) { return judge(call, at::tensor({a, b, c}, at::kInt)).passed; };
  EXPECT_TRUE(passes(1, 4, 7));
  EXPECT_TRUE(passes(0, 3, 7));
  EXPECT_FALSE(passes(1, 4, 6));
  EXPECT_FALSE(passes(1, 2, 7));
}

TEST_F(Oracle, BooleansAreExact) {
  const Task task =
      local_task("t(Tensor x, Tensor y) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").eq(a.tensor("y"))}; });
  const at::Tensor x = at::ones({20});
  const Call call = call_of(task, {x, x.clone()});
  EXPECT_TRUE(judge(call, at::ones({20}, at::kBool)).passed);
  EXPECT_FALSE(judge(call, at::zeros({20}, at::kBool)).passed);
}

TEST_F(Oracle, ContentsDecideTheShapeOfASelection) {
  Task task = local_task("t(Tensor x, Tensor mask) -> Tensor",
                         [](const Args& a) -> Values { return {a.tensor("x").masked_select(a.tensor("mask"))}; });
  task.bound = [](const Args& a) { return a.tensor("x").numel(); };
  const at::Tensor x = at::randn({30});
  const Expected expected = consult_oracle(call_of(task, {x, x.gt(0)}));
  EXPECT_TRUE(expected.outputs[0].data_dependent);
  EXPECT_EQ(expected.outputs[0].bound, 30);
  EXPECT_EQ(expected.outputs[0].shape, std::vector<int64_t>{x.gt(0).sum().item<int64_t>()});
}

TEST_F(Oracle, ComplexOutputsAreJudgedInBothParts) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::fft_fft(a.tensor("x"))}; });
  const at::Tensor x = at::randn({8, 100});
  const Call call = call_of(task, {x});
  const Expected expected = consult_oracle(call);
  EXPECT_EQ(expected.outputs[0].dtype, at::kComplexFloat);
  EXPECT_EQ(expected.outputs[0].budget.sizes(), expected.outputs[0].value.sizes());
  EXPECT_TRUE(judge(call, expected, {at::fft_fft(x)}).passed);
  EXPECT_FALSE(judge(call, expected, {at::fft_fft(x).conj()}).passed);
  EXPECT_FALSE(judge(call, expected, {at::fft_fft(x.to(at::kHalf).to(at::kFloat))}).passed);
}

TEST_F(Oracle, DomainOfAnOperatorSurvivesThePerturbations) {
  const Task task = local_task("t(Tensor p) -> Tensor", [](const Args& a) -> Values {
    const at::Tensor p = a.tensor("p");
    TORCH_CHECK(p.max().item<double>() <= 1, "not a probability");
    return {p.log1p()};
  });
  const at::Tensor p = at::cat({at::rand({100}), at::ones({1})});
  const Call call = call_of(task, {p});
  EXPECT_TRUE(judge(call, p.log1p()).passed);
}

TEST_F(Oracle, EdgeOfTheDomainWidensNoBudget) {
  // acos is NaN just beyond 1, and its derivative is infinite there.
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::acos(a.tensor("x"))}; });
  const at::Tensor x = at::cat({at::rand({100}), at::ones({5})});
  const Expected expected = consult_oracle(call_of(task, {x}));
  EXPECT_TRUE(expected.outputs[0].budget.isfinite().all().item<bool>());
  EXPECT_TRUE(judge(call_of(task, {x}), expected, {x.acos()}).passed);
}

TEST_F(Oracle, MaskedRowsKeepTheirNanAndInfinity) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").log_softmax(-1)}; });
  at::Tensor x = at::randn({4, 40});
  x[1].fill_(-std::numeric_limits<float>::infinity());
  x[2][3] = -std::numeric_limits<float>::infinity();
  const Call call = call_of(task, {x});
  const at::Tensor y = x.log_softmax(-1);
  ASSERT_TRUE(y[1].isnan().all().item<bool>());
  const Expected expected = consult_oracle(call);
  EXPECT_TRUE(expected.outputs[0].budget.isfinite().all().item<bool>());
  EXPECT_TRUE(judge(call, expected, {y}).passed);
  EXPECT_FALSE(judge(call, expected, {y.nan_to_num(0, 0, 0)}).passed);
}

bool tf32_seen = false;

TEST_F(Oracle, ReferenceRunsWithoutTf32AndTheSettingComesBack) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values {
    tf32_seen |= at::globalContext().allowTF32CuBLAS() || at::globalContext().allowTF32CuDNN() ||
                 at::globalContext().allowFP16AccumulationCuBLAS();
    return {a.tensor("x") * 2};
  });
  const bool before = at::globalContext().allowTF32CuDNN();
  at::globalContext().setAllowTF32CuBLAS(true);
  tf32_seen = false;
  consult_oracle(call_of(task, {at::randn({20})}));
  EXPECT_FALSE(tf32_seen);
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
  EXPECT_EQ(at::globalContext().allowTF32CuDNN(), before);
  at::globalContext().setAllowTF32CuBLAS(false);
}

TEST_F(Oracle, InvalidReferenceThrows) {
  const Task task =
      local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::matmul(a.tensor("x"), a.tensor("x"))}; });
  EXPECT_THROW(consult_oracle(call_of(task, {at::randn({2, 3})})), c10::Error);
}

TEST_F(Oracle, RandomTaskIsEvaluatedOnceInItsOwnType) {
  static int calls;
  calls = 0;
  const Task task = local_task(
      "t(Tensor x) -> Tensor",
      [](const Args& a) -> Values {
        ++calls;
        return {at::rand_like(a.tensor("x"))};
      },
      stochastic(Distribution::uniform));
  const Expected expected = consult_oracle(call_of(task, {at::zeros({10})}));
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(expected.outputs[0].budget.defined());
  EXPECT_EQ(seeds_to_call(task, 5), (std::vector<uint64_t>{5, 6, 5}));
}

TEST_F(Oracle, OwnOracleReplacesTheReference) {
  Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") + 1e-3}; });
  task.oracle = [](const Args& a) -> Values { return {a.tensor("x")}; };
  const at::Tensor x = at::rand({50}) + 1;
  const Call call = call_of(task, {x});
  EXPECT_TRUE(at::equal(consult_oracle(call).outputs[0].value, x.to(at::kDouble)));
}

TEST_F(Oracle, NumbersThatCameInTheWrongForm) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") * 2}; });
  const at::Tensor x = at::randn({6});
  const Call call = call_of(task, {x});
  const Expected expected = consult_oracle(call);
  const auto detail = [&](const at::Tensor& value, const char* problem) {
    const Judgement j = judge_outputs(call, expected, {{{value, problem}}});
    EXPECT_FALSE(j.passed);
    EXPECT_EQ(j.accuracy, Accuracy::wrong);
    return j.findings.at(0).detail;
  };
  EXPECT_EQ(detail({}, "returned None"), "returned None");
  EXPECT_EQ(detail((x * 2).to(at::kDouble), ""), "float64 of shape [6] instead of float32 of shape [6]");
  EXPECT_EQ(detail((x * 2).view({2, 3}), ""), "float32 of shape [2, 3] instead of float32 of shape [6]");
}

TEST_F(Oracle, WorstElementIsDescribed) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") * 2}; });
  const at::Tensor x = at::rand({6, 5}) + 1;
  at::Tensor y = x * 2;
  y[4][1] = 0.5;
  const Judgement j = judge(call_of(task, {x}), y);
  ASSERT_EQ(j.findings.size(), 1u);
  EXPECT_EQ(j.findings[0].where, (std::vector<int64_t>{4, 1}));
  EXPECT_NE(j.findings[0].detail.find("1 of 30 elements wrong; worst at [4, 1]: 0.5 for "), std::string::npos)
      << j.findings[0].detail;
}

// All elements err alike: a line through them fits any hypothesis.
TEST(OracleOutputs, AConstantResultIsNoEvidenceOfLowPrecision) {
  const Task task = local_task("part(Tensor x) -> Tensor", [](const Args& a) -> Values {
    const at::Tensor x = a.tensor("x");
    return {at::where(at::arange(x.numel()).remainder(4).ne(0), x / 0.75, x.new_zeros({}))};
  });
  const Call call = call_of(task, {at::full({1000}, 0.4)});
  const at::Tensor near = run_reference(call).front() * (1 + 3 * 0x1p-23);
  EXPECT_TRUE(judge(call, near).passed);
}

TEST(OracleOutputs, SaysWhereTheReferenceReturnsMemoryOfAnArgument) {
  const Task view = local_task("view(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").t()}; });
  const Task copy = local_task("copy(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").t().clone()}; });
  EXPECT_TRUE(consult_oracle(call_of(view, {at::ones({2, 3})})).outputs[0].shares_input);
  EXPECT_FALSE(consult_oracle(call_of(copy, {at::ones({2, 3})})).outputs[0].shares_input);
}

}  // namespace
}  // namespace kbx
