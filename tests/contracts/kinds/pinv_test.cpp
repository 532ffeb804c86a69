// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/pinv.h"

#include <gtest/gtest.h>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;
using testing::random;
using testing::tf32;

at::Tensor by_svd(const at::Tensor& a, double rcond) {
  const auto [u, s, vh] = at::linalg_svd(a, false);
  const at::Tensor inverse = at::where(s > rcond * s.amax(-1, true), s.reciprocal(), at::zeros_like(s));
  return at::matmul(vh.mT() * inverse.unsqueeze(-2), u.mT());
}

struct PinvTask {
  at::Tensor a;
  double rcond;
  Call call;
  Expected expected;

  explicit PinvTask(const at::Tensor& matrix, double threshold = 1e-15) : a(matrix), rcond(threshold) {
    call.arguments = {testing::tensor_argument("A", a)};
    const at::Tensor truth = by_svd(a.to(at::kDouble), rcond);
    expected.outputs = {testing::truth("result", truth.to(a.scalar_type()), truth)};
  }
  Judgement judge(const at::Tensor& x) const { return judge_pinv(call, expected, {delivered(x.contiguous())}); }
};

void expect_honest(const PinvTask& task, const at::Tensor& x) {
  const Judgement judgement = task.judge(x);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.5) << task.a.sizes();
}

at::Tensor with_values(const std::vector<float>& s) {
  const int64_t n = static_cast<int64_t>(s.size());
  const at::Tensor q = std::get<0>(at::linalg_qr(random({n, n}))), v = std::get<0>(at::linalg_qr(random({n, n}, 2)));
  return at::matmul(q * at::tensor(s), v.t());
}

TEST(Pinv, HonestAlgorithmsPassForFullRank) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 1}, {9, 4}, {4, 9}, {33, 12}, {3, 9, 4}}) {
      const PinvTask task(random(shape, seed));
      expect_honest(task, by_svd(task.a, 1e-15));
      expect_honest(task, at::linalg_pinv(task.a));
      if (shape.size() > 2 || shape[0] < shape[1]) continue;
      const auto [q, r] = at::linalg_qr(task.a);
      expect_honest(task, testing::substitute_back(r, q.t().contiguous()));
    }
  const PinvTask square(random({12, 12}));
  expect_honest(square, testing::gauss_jordan(square.a, at::eye(12)));
}

TEST(Pinv, SmallSingularValuesCountAsZero) {
  const at::Tensor deficient = at::matmul(random({12, 3}), random({3, 9}, 2));
  const PinvTask noise(deficient, 1e-4), real(with_values({5, 4, 3, 0.5, 0.2}), 0.3);
  for (const PinvTask* task : {&noise, &real}) {
    expect_honest(*task, by_svd(task->a, task->rcond));
    EXPECT_FALSE(task->judge(by_svd(task->a, 1e-15)).passed) << "rcond ignored";
    EXPECT_FALSE(task->judge(by_svd(task->a, 0.75)).passed) << "rcond too large";
  }
  EXPECT_FALSE(real.judge(by_svd(real.a, 0.3 / 5)).passed) << "an absolute threshold";
}

TEST(Pinv, LowerPrecisionFails) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{17, 9}, {9, 33}}) {
      const PinvTask task(random(shape, seed));
      EXPECT_FALSE(task.judge(by_svd(tf32(task.a), 1e-15)).passed);
      EXPECT_FALSE(task.judge(tf32(by_svd(task.a, 1e-15))).passed);
    }
}

TEST(Pinv, OtherInversesFail) {
  const PinvTask task(random({9, 4}));
  const at::Tensor x = by_svd(task.a, 1e-15), projector = at::eye(9) - at::matmul(task.a, x);
  EXPECT_FALSE(task.judge(x + at::matmul(random({4, 9}, 5), projector)).passed);  // a left inverse, not the least one
  EXPECT_FALSE(task.judge(task.a.t()).passed);
  EXPECT_FALSE(task.judge(at::zeros({4, 9})).passed);
  EXPECT_FALSE(task.judge(x * 1.001).passed);
  const at::Tensor ridge = at::matmul(task.a.t(), task.a) + 1e-3 * at::eye(4);
  EXPECT_FALSE(task.judge(at::linalg_solve(ridge, task.a.t())).passed);
  const PinvTask square(random({7, 7}));
  EXPECT_FALSE(square.judge(by_svd(square.a, 1e-15).t()).passed);
}

TEST(Pinv, ZeroAndEmptyMatricesPass) {
  const PinvTask zero(at::zeros({5, 3}));
  EXPECT_TRUE(zero.judge(at::zeros({3, 5})).passed);
  EXPECT_FALSE(zero.judge(at::ones({3, 5})).passed);
  const PinvTask empty(random({0, 3, 4}));
  EXPECT_TRUE(empty.judge(random({0, 4, 3})).passed);
}

TEST(Pinv, OneWrongMatrixOfABatchAndNaNFail) {
  const PinvTask task(random({3, 9, 4}));
  at::Tensor wrong = by_svd(task.a, 1e-15);
  wrong[2][3][8] += 0.01;
  EXPECT_FALSE(task.judge(wrong).passed);
  wrong[2][3][8] = std::nanf("");
  EXPECT_FALSE(task.judge(wrong).passed);
}

}  // namespace
}  // namespace kbx
