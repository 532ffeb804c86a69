// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/lu.h"

#include <gtest/gtest.h>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;
using testing::eliminate;
using testing::Elimination;
using testing::random;
using testing::tf32;

struct LuTask {
  at::Tensor a;
  Call call;
  Expected expected;

  explicit LuTask(const at::Tensor& matrix, bool pivot = true) : a(matrix) {
    call.arguments = {testing::tensor_argument("A", a)};
    const auto [p, l, u] = at::linalg_lu(a.to(at::kDouble));  // shapes; without pivoting the values differ
    const at::Tensor permutation = pivot ? p : at::empty({0}, at::kDouble);
    for (const auto& [name, value] : {std::pair{"P", permutation}, {"L", l}, {"U", u}})
      expected.outputs.push_back(testing::truth(name, value.to(a.scalar_type()), value));
  }
  Judgement judge(const at::Tensor& p, const at::Tensor& l, const at::Tensor& u) const {
    return judge_lu(call, expected, {delivered(p), delivered(l), delivered(u)});
  }
  Judgement judge(const Elimination& f) const { return judge(f.p, f.l, f.u); }
};

void expect_honest(const LuTask& task, const Judgement& judgement) {
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.3) << task.a.sizes();
}

TEST(Lu, LapackAndColumnwiseEliminationPass) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 1}, {2, 2}, {5, 9}, {9, 5}, {40, 40}, {64, 20}})
      for (const at::Tensor& a : {random(shape, seed), random(shape, seed) + 1000, at::zeros(shape), at::ones(shape)}) {
        const LuTask task(a);
        const auto [p, l, u] = at::linalg_lu(a);
        expect_honest(task, task.judge(p, l, u));
        expect_honest(task, task.judge(eliminate(a, true)));
      }
}

TEST(Lu, NoPivotingPassesWhereItIsAskedForHoweverTheFactorsGrow) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    const LuTask task(random({24, 24}, seed), false);
    const Elimination f = eliminate(task.a, false);
    expect_honest(task, task.judge(at::empty({0}), f.l, f.u));
    EXPECT_FALSE(task.judge(at::eye(24), f.l, f.u).passed);  // P has to be empty
  }
}

TEST(Lu, NoPivotingFailsWherePivotingIsAskedFor) {
  const LuTask task(random({9, 9}));
  const Judgement judgement = task.judge(eliminate(task.a, false));
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("partial pivoting"), std::string::npos) << detail(judgement);
}

TEST(Lu, EitherOfTiedPivotsPasses) {
  const LuTask task(at::tensor({1.f, 2.f, -1.f, 3.f}).view({2, 2}));
  EXPECT_TRUE(
      task.judge(at::eye(2), at::tensor({1.f, 0.f, -1.f, 1.f}).view({2, 2}), at::tensor({1.f, 2.f, 0.f, 5.f}).view({2, 2}))
          .passed);
  EXPECT_TRUE(task.judge(at::eye(2).flip(0), at::tensor({1.f, 0.f, -1.f, 1.f}).view({2, 2}),
                         at::tensor({-1.f, 3.f, 0.f, 5.f}).view({2, 2}))
                  .passed);
}

TEST(Lu, ATransposedOrDroppedPermutationIsNamed) {
  const LuTask task(random({9, 9}));
  const Elimination f = eliminate(task.a, true);
  const Judgement transposed = task.judge(f.p.t().contiguous(), f.l, f.u);
  ASSERT_FALSE(transposed.passed);
  EXPECT_NE(detail(transposed).find("P is transposed"), std::string::npos) << detail(transposed);
  EXPECT_FALSE(task.judge(at::eye(9), f.l, f.u).passed);
}

TEST(Lu, WhatIsNoPermutationFailsThoughTheProductIsRight) {
  const LuTask task(at::eye(3));
  const at::Tensor minus = -at::eye(3);
  EXPECT_TRUE(task.judge(at::eye(3), at::eye(3), at::eye(3)).passed);
  EXPECT_FALSE(task.judge(minus, at::eye(3), minus).passed);
  EXPECT_FALSE(task.judge(at::ones({3, 3}), at::eye(3), at::eye(3)).passed);
  const LuTask singular(at::zeros({3, 3}));
  EXPECT_FALSE(
      singular.judge(at::tensor({1.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 0.f, 1.f}).view({3, 3}), at::eye(3), at::zeros({3, 3}))
          .passed);
}

TEST(Lu, FactorsInAnotherFormFailThoughTheProductIsRight) {
  const LuTask task(random({9, 9}));
  const Elimination f = eliminate(task.a, true);
  const at::Tensor d = f.u.diagonal().clone();
  EXPECT_FALSE(task.judge(f.p, f.l * d, f.u / d.unsqueeze(1)).passed);            // Crout: U has the ones
  EXPECT_FALSE(task.judge(f.p, at::matmul(f.p.t(), task.a), at::eye(9)).passed);  // U = I
  EXPECT_FALSE(task.judge(f.p, at::eye(9), at::matmul(f.p.t(), task.a)).passed);  // L = I
  EXPECT_FALSE(task.judge(f.p, f.l, f.u + f.l.tril(-1)).passed);                  // both in one matrix
  EXPECT_FALSE(task.judge(f.p, f.u.t().contiguous(), f.l.t().contiguous()).passed);
}

TEST(Lu, LowerPrecisionFails) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {9, 40}) {
      const LuTask task(random({n, n}, seed));
      EXPECT_FALSE(task.judge(eliminate(tf32(task.a), true)).passed);
      EXPECT_FALSE(task.judge(eliminate(task.a, true, true)).passed);
      const LuTask unpivoted(task.a, false);
      const Elimination f = eliminate(task.a, false, true);
      EXPECT_FALSE(unpivoted.judge(at::empty({0}), f.l, f.u).passed);
    }
}

TEST(Lu, OneWrongMatrixOfABatchFails) {
  const LuTask task(random({3, 7, 5}));
  const auto [p, l, u] = at::linalg_lu(task.a);
  EXPECT_TRUE(task.judge(p, l, u).passed);
  at::Tensor wrong = u.clone();
  wrong[2][1][3] += 0.01;
  EXPECT_FALSE(task.judge(p, l, wrong).passed);
}

}  // namespace
}  // namespace kbx
