// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/low_rank.h"

#include <gtest/gtest.h>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;
using testing::random;
using testing::tf32;

// The product of the first k singular triples, computed in a's own type.
at::Tensor truncated(const at::Tensor& a, int64_t k, int64_t first = 0) {
  const auto [u, s, vh] = at::linalg_svd(a, false);
  return at::matmul(u.narrow(-1, first, k) * s.narrow(-1, first, k).unsqueeze(-2), vh.narrow(-2, first, k));
}

struct LowRankTask {
  at::Tensor a;
  int64_t k;
  Call call;
  Expected expected;

  LowRankTask(const at::Tensor& matrix, int64_t rank) : a(matrix), k(rank) {
    call.arguments = {testing::tensor_argument("A", a), testing::integer_argument("k", k)};
    const at::Tensor truth = truncated(a.to(at::kDouble), k);
    expected.outputs = {testing::truth("result", truth.to(a.scalar_type()), truth)};
  }
  Judgement judge(const at::Tensor& x) const { return judge_low_rank(call, expected, {delivered(x.contiguous())}); }
};

void expect_honest(const LowRankTask& task, const at::Tensor& x) {
  const Judgement judgement = task.judge(x);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << " " << task.k << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.5) << task.a.sizes() << " " << task.k;
}

// A Q Q' with Q from subspace iteration: an honest algorithm without an SVD, where the gap is large.
at::Tensor by_subspace_iteration(const at::Tensor& a, int64_t k) {
  at::Tensor q = std::get<0>(at::linalg_qr(random({a.size(1), k}, 77)));
  for (int i = 0; i < 60; ++i) q = std::get<0>(at::linalg_qr(at::matmul(a.t(), at::matmul(a, q))));
  return at::matmul(at::matmul(a, q), q.t());
}

TEST(LowRank, LapackPasses) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 1}, {1, 7}, {9, 5}, {17, 33}, {64, 64}, {3, 9, 7}})
      for (const double offset : {0, 100})
        for (int64_t k = 1; k <= std::min(shape.end()[-1], shape.end()[-2]); k += 3) {
          const LowRankTask task(random(shape, seed) + offset, k);
          expect_honest(task, truncated(task.a, k));
        }
  for (const at::Tensor& a : {at::zeros({5, 3}), at::eye(6), at::matmul(random({9, 2}), random({2, 7}, 2)), random({0, 3, 4})})
    expect_honest(LowRankTask(a, 3), truncated(a, 3));
}

TEST(LowRank, SubspaceIterationPassesWhereTheGapIsLarge) {
  const at::Tensor q = std::get<0>(at::linalg_qr(random({20, 20}))), v = std::get<0>(at::linalg_qr(random({20, 20}, 2)));
  const LowRankTask task(at::matmul(q * at::pow(0.5f, at::arange(20)), v.t()), 4);
  expect_honest(task, by_subspace_iteration(task.a, 4));
}

TEST(LowRank, AnyOfEqualSingularValuesMayStay) {
  const LowRankTask task(at::eye(6), 2);
  const at::Tensor q = std::get<0>(at::linalg_qr(random({6, 2})));
  expect_honest(task, at::matmul(q, q.t()));
}

TEST(LowRank, AnotherRankFails) {
  const LowRankTask task(random({17, 9}), 4);
  EXPECT_FALSE(task.judge(truncated(task.a, 3)).passed);
  const Judgement more = task.judge(truncated(task.a, 5));
  ASSERT_FALSE(more.passed);
  EXPECT_NE(detail(more).find("may have rank 4"), std::string::npos) << detail(more);
  EXPECT_FALSE(task.judge(task.a).passed);
  EXPECT_FALSE(task.judge(at::zeros({17, 9})).passed);
}

TEST(LowRank, OtherTriplesThanTheLargestFail) {
  const LowRankTask task(random({17, 9}), 4);
  EXPECT_FALSE(task.judge(truncated(task.a, 4, 1)).passed);
  EXPECT_FALSE(task.judge(truncated(task.a, 4, 5)).passed);
}

// Of rank k and nearest to A but for a second order: only the conditions for a minimum show it.
TEST(LowRank, InputsCutToTf32Fail) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {9, 40}) {
      const LowRankTask task(random({n, n}, seed), 3);
      const Judgement judgement = task.judge(truncated(tf32(task.a), 3));
      ASSERT_FALSE(judgement.passed);
      EXPECT_NE(detail(judgement).find("X^H (A - X)"), std::string::npos) << detail(judgement);
    }
}

TEST(LowRank, AProductInTf32HasNotRankK) {
  const LowRankTask task(random({17, 9}), 4);
  const auto [u, s, vh] = at::linalg_svd(task.a, false);
  EXPECT_FALSE(task.judge(at::matmul(tf32(u.narrow(1, 0, 4) * s.narrow(0, 0, 4)), tf32(vh.narrow(0, 0, 4)))).passed);
  EXPECT_FALSE(task.judge(tf32(truncated(task.a, 4))).passed);
}

TEST(LowRank, OneWrongMatrixOfABatchAndNaNFail) {
  const LowRankTask task(random({3, 9, 7}), 2);
  at::Tensor wrong = truncated(task.a, 2);
  wrong[2][8][6] += 0.01;
  EXPECT_FALSE(task.judge(wrong).passed);
  wrong[2][8][6] = std::nanf("");
  EXPECT_FALSE(task.judge(wrong).passed);
}

}  // namespace
}  // namespace kbx
