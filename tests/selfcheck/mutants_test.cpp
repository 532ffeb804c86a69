// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/mutants.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::local_task;

at::Tensor under(const Computation& mutant, const Call& call) {
  return deliver(call, consult_oracle(call), mutant).at(0).at(0).value;
}

const Computation* find(const std::vector<Computation>& mutants, const std::string& name) {
  const auto found = std::find_if(mutants.begin(), mutants.end(), [&](const Computation& m) { return m.name == name; });
  return found == mutants.end() ? nullptr : &*found;
}

// What the named mutant of a one-call task gives.
at::Tensor mutated(std::string_view schema, Values (*reference)(const Args&), std::vector<c10::IValue> values,
                   const std::string& name) {
  const Task task = local_task(schema, reference);
  const Call call = call_of(task, std::move(values));
  std::vector<Computation> mutants = operator_mutants({&call});
  for (Computation& m : call_mutants({&call})) mutants.push_back(std::move(m));
  const Computation* mutant = find(mutants, name);
  if (!mutant) {
    std::string names;
    for (const Computation& m : mutants) names += m.name + "\n";
    ADD_FAILURE() << "no mutant '" << name << "' among\n" << names;
    return {};
  }
  return under(*mutant, call);
}

void expect_equal(const at::Tensor& y, const at::Tensor& expected) {
  ASSERT_TRUE(y.defined());
  EXPECT_TRUE(at::allclose(y, expected, 1e-5, 1e-6)) << y << "\nexpected\n" << expected;
}

class MutantsTest : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(9); }
  at::NoGradGuard no_grad_;
};

constexpr std::string_view kTwo = "t(Tensor x, Tensor y) -> Tensor";

TEST_F(MutantsTest, AlphaIsNotDropped) {
  const at::Tensor x = at::randn({3}), y = at::randn({3});
  expect_equal(
      mutated(
          kTwo, [](const Args& a) -> Values { return {at::add(a.tensor("x"), a.tensor("y"), 3)}; }, {x, y}, "add: without alpha"),
      x + y);
}

TEST_F(MutantsTest, OnlyTheFirstOfTwoCallsIsEverMutated) {
  const at::Tensor x = at::rand({3}) + 1, y = at::rand({3}) + 1;
  const auto reference = [](const Args& a) -> Values { return {a.tensor("x") * a.tensor("y") * a.tensor("y")}; };
  expect_equal(mutated(kTwo, reference, {x, y}, "mul: div for mul"), x);
  expect_equal(mutated(kTwo, reference, {x, y}, "mul (call 2): div for mul"), x);
  expect_equal(mutated(kTwo, reference, {x, y}, "mul (call 2): left out"), x * y);
}

TEST_F(MutantsTest, OperandsKeepTheirOrder) {
  const at::Tensor x = at::randn({3}), y = at::randn({3});
  expect_equal(
      mutated(
          kTwo, [](const Args& a) -> Values { return {at::sub(a.tensor("x"), a.tensor("y"))}; }, {x, y}, "sub: operands swapped"),
      y - x);
}

TEST_F(MutantsTest, TheBiasOfACompositeIsNotDropped) {
  const at::Tensor x = at::randn({4, 5}), w = at::randn({3, 5}), b = at::randn({3});
  expect_equal(mutated(
                   "t(Tensor x, Tensor w, Tensor b) -> Tensor",
                   [](const Args& a) -> Values { return {at::linear(a.tensor("x"), a.tensor("w"), a.tensor("b"))}; }, {x, w, b},
                   "linear: without bias"),
               at::linear(x, w));
}

TEST_F(MutantsTest, EpsilonIsNotDropped) {
  const at::Tensor x = at::randn({4, 5}) * 1e-3;
  expect_equal(mutated(
                   "t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::layer_norm(a.tensor("x"), {5})}; }, {x},
                   "layer_norm: without eps"),
               at::layer_norm(x, {5}, {}, {}, 0));
}

TEST_F(MutantsTest, TheLastElementIsSummed) {
  const at::Tensor x = at::randn({4, 5});
  expect_equal(mutated(
                   "t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").sum(1)}; }, {x},
                   "sum: last element left out"),
               x.narrow(1, 0, 4).sum(1));
}

TEST_F(MutantsTest, StridesAreNotIgnored) {
  const at::Tensor storage = at::arange(12, at::kFloat).reshape({3, 4});
  expect_equal(
      mutated(
          "t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") + 1}; }, {storage.t()}, "ignores strides"),
      storage.reshape({4, 3}) + 1);
}

TEST_F(MutantsTest, AnArgumentIsNotIgnored) {
  const at::Tensor x = at::randn({4});
  expect_equal(mutated(
                   "t(Tensor x, float s=2.0) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x") * a.real("s")}; },
                   {x, 5.0}, "ignores s"),
               x * 2);
}

TEST_F(MutantsTest, AnInPlaceResultIsTakenFromTheReturnedTensor) {
  const Task task = local_task("t(Tensor(a!) x) -> Tensor(a!)", [](const Args& a) -> Values { return {a.tensor("x").add_(1)}; });
  const at::Tensor x = at::randn({4});
  const Call call = call_of(task, {x});
  const auto mutants = call_mutants({&call});
  expect_equal(under(*find(mutants, "does not write into its arguments"), call), x);
}

}  // namespace
}  // namespace kbx
