// SPDX-License-Identifier: Apache-2.0
// The published comparator, from its description.
#include "oracle/published.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "catalogue/cases.h"
#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::local_task;

Task identity() {
  return local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {a.tensor("x").clone()}; });
}

bool accepted_instead_of(const at::Tensor& expected, const at::Tensor& delivered) {
  const Task task = identity();
  const Call call = call_of(task, {expected});
  return judge_published(call, consult_published(call), {{delivered, ""}}).passed;
}

TEST(PublishedRule, ToleranceIsAbsoluteAndRelativeByType) {
  // |y - e| <= t + t |e|: 2e-5 at 1, 1e-5 at 0, 1.01e-3 at 100.
  EXPECT_TRUE(accepted_instead_of(at::tensor({1.0, 0.0, 100.0}), at::tensor({1.0 + 1.9e-5, 0.9e-5, 100 + 1.0e-3})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({1.0}), at::tensor({1.0 + 2.1e-5})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({0.0}), at::tensor({1.1e-5})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({100.0}), at::tensor({100.0 + 1.1e-3})));
  EXPECT_TRUE(accepted_instead_of(at::tensor({1.0f}).to(at::kHalf), at::tensor({1.0f + 9e-3f}).to(at::kHalf)));
  EXPECT_FALSE(accepted_instead_of(at::tensor({1.0f}).to(at::kBFloat16), at::tensor({1.0f + 1.6e-2f}).to(at::kBFloat16)));
}

TEST(PublishedRule, IntegersAndComplexNumbersMustBeEqual) {
  const at::Tensor z = at::complex(at::tensor({1.0f, 3.0f, 0.1f}), at::tensor({2.0f, 0.0f, 0.3f}));
  EXPECT_TRUE(accepted_instead_of(z, z.clone()));
  EXPECT_FALSE(accepted_instead_of(z, z * (1 + std::numeric_limits<float>::epsilon())));
  EXPECT_FALSE(accepted_instead_of(at::tensor({3}), at::tensor({4})));
}

TEST(PublishedRule, NanAndInfinityStandWhereTheReferenceHasThem) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(accepted_instead_of(at::tensor({nan, inf, -inf}), at::tensor({nan, inf, -inf})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({1.0}), at::tensor({nan})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({nan}), at::tensor({1.0})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({inf}), at::tensor({-inf})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({inf}), at::tensor({1.0})));
}

TEST(PublishedRule, TypeAndShapeMustMatch) {
  EXPECT_FALSE(accepted_instead_of(at::tensor({1.0}), at::tensor({1.0f})));
  EXPECT_FALSE(accepted_instead_of(at::tensor({1.0}), at::tensor({1.0}).view({1, 1})));
}

TEST(PublishedRule, AResultMayLieInTheMemoryOfAnArgument) {
  const Task task = identity();
  EXPECT_TRUE(consult_published(call_of(task, {at::ones({3})})).outputs[0].shares_input);
}

TEST(PublishedRule, TheStreamIsTorchsUnderTheCallsSeed) {
  const Task task = local_task("t(Tensor x) -> Tensor", [](const Args& a) -> Values { return {at::rand_like(a.tensor("x"))}; });
  const Call call = call_of(task, {at::zeros({100})}, 17);
  const Expected expected = consult_published(call);
  at::manual_seed(17);
  const at::Tensor same = at::rand({100}), other = at::rand({100});
  EXPECT_TRUE(judge_published(call, expected, {{same, ""}}).passed);
  EXPECT_FALSE(judge_published(call, expected, {{other, ""}}).passed);
}

TEST(PublishedRule, QuantisedResultsHaveLimitsForTheWholeOutput) {
  const Task& task = *find_task("matmul_w8a8");
  const auto line = published_cases_of(task).front();
  const auto call = bind(task, line, 0, at::kCPU);
  ASSERT_TRUE(call);
  const Expected expected = consult_published(*call);
  const at::Tensor& e = expected.outputs[0].value;
  const at::Tensor off = e + 0.09, far = e + 0.11;  // RMSE at most 0.1
  EXPECT_TRUE(judge_published(*call, expected, {{off, ""}}).passed);
  EXPECT_FALSE(judge_published(*call, expected, {{far, ""}}).passed);
}

}  // namespace
}  // namespace kbx
