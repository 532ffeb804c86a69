// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/computation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "oracle/local_task.h"

namespace kbx {
namespace {

using testing::call_of;
using testing::local_task;

TEST(Computation, LeavesTheCallsTensorsChanged) {
  const Task task = local_task("t(Tensor(a!) x) -> Tensor(a!)", [](const Args& a) -> Values { return {a.tensor("x").add_(1)}; });
  const Call call = call_of(task, {at::zeros({3})});
  const Expected expected = consult_oracle(call);
  const auto deliveries = deliver(call, expected, {});
  EXPECT_TRUE(at::equal(call.arguments[0].value.toTensor(), at::zeros({3})));
  EXPECT_TRUE(at::equal(deliveries[0][0].value, at::ones({3})));
}

TEST(Computation, RoundsTwiceFromFloat64) {
  // 1 + 2^-11 + 2^-40 is above the middle of two float16 numbers; by way of float32 it becomes the middle, and then 1.
  const Task task = local_task("t(Tensor x, Tensor y) -> Tensor",
                               [](const Args& a) -> Values { return {a.tensor("x") + a.tensor("y") * 0x1p-24}; });
  const Call call = call_of(task, {at::full({1}, 1, at::kHalf), at::full({1}, (1 << 13) * 1.0, at::kHalf)});
  const Expected expected = consult_oracle(call);
  const Computation nudged{
      .name = "", .precision = at::kDouble, .change_output = [](const at::Tensor& y) { return y + 0x1p-40; }};
  EXPECT_EQ(deliver(call, expected, nudged)[0][0].value.item<float>(), 1 + 0x1p-10f);
}

TEST(Computation, DrawsTheSameNumbersForEachSeed) {
  Task task = local_task(
      "t(int n) -> Tensor", [](const Args& a) -> Values { return {at::rand({a.integer("n")})}; },
      stochastic(Distribution::uniform));
  const Call call = call_of(task, {int64_t{64}});
  const auto d = deliver(call, consult_oracle(call), {});
  ASSERT_EQ(d.size(), 3u);
  EXPECT_FALSE(at::equal(d[0][0].value, d[1][0].value));
  EXPECT_TRUE(at::equal(d[0][0].value, d[2][0].value));
}

TEST(Computation, SameBitsTellsNanFromNan) {
  const std::vector<Delivery> a{{{at::full({2}, NAN), ""}}}, b{{{at::full({2}, NAN), ""}}}, c{{{at::zeros({2}), ""}}};
  EXPECT_TRUE(same_bits(a, b));
  EXPECT_FALSE(same_bits(a, c));
}

}  // namespace
}  // namespace kbx
