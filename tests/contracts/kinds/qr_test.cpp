// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/qr.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::delivered;
using testing::detail;
using testing::random;
using testing::tf32;
using testing::wide_type;

struct QrTask {
  at::Tensor a, q, r;
  Call call;
  Expected expected;

  explicit QrTask(const at::Tensor& matrix, const char* mode = "reduced") : a(matrix) {
    call.arguments = {testing::tensor_argument("A", a)};
    std::tie(q, r) = at::linalg_qr(a, mode);
    const auto [wide_q, wide_r] = at::linalg_qr(a.to(wide_type(a)), mode);
    expected.outputs = {testing::truth("Q", q, wide_q), testing::truth("R", r, wide_r)};
  }
  Judgement judge(const at::Tensor& some_q, const at::Tensor& some_r) const {
    return judge_qr(call, expected, {delivered(some_q), delivered(some_r)});
  }
};

using Factors = std::pair<at::Tensor, at::Tensor>;

// Rotations of two rows each, in the matrix's own type; Q complete.
Factors givens(const at::Tensor& a) {
  at::Tensor r = a.clone(), qt = at::eye(a.size(0));
  for (int64_t j = 0; j < std::min(a.size(0), a.size(1)); ++j)
    for (int64_t i = a.size(0) - 1; i > j; --i) {
      const float x = r[j][j].item<float>(), y = r[i][j].item<float>();
      if (y == 0) continue;
      const float length = std::sqrt(x * x + y * y), c = x / length, s = y / length;
      for (at::Tensor* m : {&r, &qt}) {
        const at::Tensor upper = (*m)[j].clone(), lower = (*m)[i].clone();
        (*m)[j].copy_(upper * c + lower * s);
        (*m)[i].copy_(lower * c - upper * s);
      }
      r[i][j] = 0;
    }
  return {qt.t().contiguous(), r};
}

// Each column freed of the ones before it, one after the other: modified Gram-Schmidt. With `twice`, done again.
Factors gram_schmidt(const at::Tensor& a, bool twice) {
  at::Tensor q = a.clone(), r = at::zeros({a.size(1), a.size(1)});
  for (int64_t j = 0; j < a.size(1); ++j) {
    at::Tensor column = q.select(1, j);
    for (int pass = 0; pass < (twice ? 2 : 1); ++pass)
      for (int64_t k = 0; k < j; ++k) {
        const at::Tensor part = at::dot(q.select(1, k), column);
        r[k][j] += part;
        column.sub_(q.select(1, k) * part);
      }
    r[j][j] = column.norm();
    column.div_(r[j][j]);
  }
  return {q, r};
}

// Columns that are nearly dependent: condition about 10^digits.
at::Tensor graded(int64_t m, int64_t n, double digits) {
  const at::Tensor u = std::get<0>(at::linalg_qr(random({m, n}, 5))), v = std::get<0>(at::linalg_qr(random({n, n}, 6)));
  return at::matmul(u * at::logspace(0, -digits, n), v);
}

void expect_honest(const QrTask& task, const at::Tensor& q, const at::Tensor& r) {
  const Judgement judgement = task.judge(q, r);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.6) << task.a.sizes();
}

TEST(Qr, LapackPassesInEveryMode) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{1, 1}, {2, 2}, {1, 7}, {7, 1}, {9, 5}, {5, 9}, {64, 20}, {40, 40}, {120, 60}, {3, 9, 4}})
      for (const at::Tensor& a :
           {random(shape, seed), random(shape, seed) + 1000, random(shape, seed) * 1e-6, at::zeros(shape), at::ones(shape),
            random(shape, seed).to(at::kDouble), at::complex(random(shape, seed), random(shape, seed + 50))})
        for (const char* mode : {"reduced", "complete", "r"}) {
          const QrTask task(a, mode);
          expect_honest(task, task.q, task.r);
        }
}

TEST(Qr, RotationsAndGramSchmidtDoneTwicePass) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{9, 5}, {24, 24}, {40, 12}}) {
    const at::Tensor a = random(shape);
    const auto [q, r] = givens(a);
    expect_honest(QrTask(a, "complete"), q, r);
    expect_honest(QrTask(a), q.narrow(1, 0, shape[1]), r.narrow(0, 0, shape[1]));
    expect_honest(QrTask(a, "r"), at::empty({0}), r.narrow(0, 0, shape[1]));
    const auto [q2, r2] = gram_schmidt(a, true);
    expect_honest(QrTask(a), q2, r2);
  }
}

TEST(Qr, SignsPhasesAndTheColumnsThatCompleteQAreFree) {
  const QrTask task(random({12, 8}), "complete");
  at::Tensor sign = at::ones({12});
  sign[2] = sign[9] = -1;
  EXPECT_TRUE(task.judge(task.q * sign, task.r * sign.unsqueeze(1)).passed);
  at::Tensor completed = task.q.clone();
  completed.narrow(1, 8, 4).copy_(at::matmul(task.q.narrow(1, 8, 4), std::get<0>(at::linalg_qr(random({4, 4})))));
  EXPECT_TRUE(task.judge(completed, task.r).passed);
  const QrTask only_r(random({12, 8}), "r");
  EXPECT_TRUE(only_r.judge(only_r.q, only_r.r * sign.narrow(0, 0, 8).unsqueeze(1)).passed);
  const QrTask complex(at::complex(random({6, 6}), random({6, 6}, 2)));
  const at::Tensor phase = at::polar(at::ones({6}), at::arange(6, at::kFloat));
  EXPECT_TRUE(complex.judge(complex.q * phase, complex.r * phase.conj().unsqueeze(1)).passed);
}

TEST(Qr, WhatIsNotTriangularFailsThoughTheProductIsRight) {
  const QrTask task(random({8, 8}));
  const Judgement judgement = task.judge(at::eye(8), task.a);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("below the diagonal"), std::string::npos) << detail(judgement);
  at::Tensor noisy = task.r.clone();
  noisy[5][1] = 1e-12;
  EXPECT_FALSE(task.judge(task.q, noisy).passed);
}

TEST(Qr, WhatIsNotOrthogonalFailsThoughTheProductIsRight) {
  const QrTask task(random({8, 8}));
  const Judgement judgement = task.judge(task.a, at::eye(8));
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("Q^H Q"), std::string::npos) << detail(judgement);
  const at::Tensor steep = graded(24, 12, 3);
  const auto [q, r] = gram_schmidt(steep, false);
  EXPECT_FALSE(QrTask(steep).judge(q, r).passed);
}

TEST(Qr, OrthogonalAndTriangularFactorsOfAnotherMatrixFail) {
  const QrTask task(random({8, 8})), other(random({8, 8}, 2));
  EXPECT_FALSE(task.judge(at::eye(8), at::eye(8)).passed);
  EXPECT_FALSE(task.judge(other.q, other.r).passed);
  EXPECT_FALSE(task.judge(task.q, other.r).passed);
  EXPECT_FALSE(task.judge(task.q.t().contiguous(), task.r).passed);
  at::Tensor sign = at::ones({8});
  sign[7] = -1;
  EXPECT_FALSE(task.judge(task.q * sign, task.r).passed);  // without its partner
  const QrTask complex(at::complex(random({6, 6}), random({6, 6}, 2)));
  EXPECT_FALSE(complex.judge(complex.q.conj().resolve_conj(), complex.r).passed);
}

TEST(Qr, AnRWithoutQIsJudgedToo) {
  const QrTask task(random({12, 8}), "r");
  EXPECT_FALSE(task.judge(task.q, QrTask(random({12, 8}, 2), "r").r).passed);
  at::Tensor wrong = task.r.clone();
  wrong[2][5].neg_();
  EXPECT_FALSE(task.judge(task.q, wrong).passed);
  EXPECT_FALSE(task.judge(task.q, at::zeros({8, 8})).passed);
  EXPECT_FALSE(task.judge(task.q, task.r * 1.01).passed);
  EXPECT_FALSE(task.judge(QrTask(task.a).q, task.r).passed);  // Q has to be empty
  const at::Tensor steep = graded(24, 12, 3);
  EXPECT_FALSE(QrTask(steep, "r").judge(task.q, at::linalg_cholesky(at::matmul(steep.t(), steep), true)).passed);
}

TEST(Qr, InputsAndFactorsCutToTf32Fail) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3, 2}, {64, 32}, {96, 96}})
    for (const char* mode : {"reduced", "r"}) {
      const QrTask task(random(shape), mode);
      const auto [q, r] = at::linalg_qr(tf32(task.a), mode);
      EXPECT_FALSE(task.judge(q, r).passed) << shape << mode;
      EXPECT_FALSE(task.judge(task.q, tf32(task.r)).passed) << shape << mode;
    }
}

TEST(Qr, TenTimesTheResidualOfLapackFails) {
  for (const int64_t n : {24, 40, 96}) {
    const QrTask task(random({n, n}));
    const at::Tensor q = task.q.to(at::kDouble), r = task.r.to(at::kDouble);
    const double residual = testing::relative_residual(task.a, at::matmul(q, r));
    EXPECT_FALSE(task.judge(task.q, (r * (1 + 10 * residual)).to(at::kFloat)).passed) << n;
  }
}

TEST(Qr, OneWrongMatrixOfABatchAndNaNFail) {
  const QrTask task(random({5, 12, 8}));
  at::Tensor wrong = task.q.clone();
  wrong[4][7] = 0;
  EXPECT_FALSE(task.judge(wrong, task.r).passed);
  wrong = task.r.clone();
  wrong[2][1][3] = std::nanf("");
  EXPECT_FALSE(task.judge(task.q, wrong).passed);
}

TEST(Qr, ReducedShapesWhereCompleteOnesAreAskedForFail) {
  const QrTask complete(random({12, 8}), "complete"), reduced(random({12, 8}));
  EXPECT_FALSE(complete.judge(reduced.q, reduced.r).passed);
}

TEST(Qr, EmptyMatricesPass) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{0, 4}, {4, 0}, {0, 3, 3}})
    for (const char* mode : {"reduced", "complete", "r"}) {
      const QrTask task(at::empty(shape), mode);
      EXPECT_TRUE(task.judge(task.q, task.r).passed) << shape << mode;
    }
}

}  // namespace
}  // namespace kbx
