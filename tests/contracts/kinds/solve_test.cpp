// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/solve.h"

#include <gtest/gtest.h>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::definite;
using testing::delivered;
using testing::detail;
using testing::eliminate;
using testing::random;
using testing::substitute;
using testing::substitute_back;
using testing::tf32;

// Judges X for a matrix and a right-hand side. The truth is found in float64.
struct SolveTask {
  Solve contract;
  at::Tensor a, b;
  Call call;
  Expected expected;

  SolveTask(Equation equation, const at::Tensor& matrix, const at::Tensor& right, bool upper = false)
      : contract{equation, "A", "b"}, a(matrix), b(right) {
    call.arguments = {testing::tensor_argument("A", a), testing::tensor_argument("b", b)};
    Argument flag;
    flag.name = "upper";
    flag.kind = ArgumentKind::boolean;
    flag.value = upper;
    call.arguments.push_back(flag);
    const at::Tensor truth = exact(equation, a.to(at::kDouble), b.to(at::kDouble), upper);
    expected.outputs = {testing::truth("result", truth.to(a.scalar_type()), truth)};
  }
  static at::Tensor exact(Equation equation, const at::Tensor& a, const at::Tensor& b, bool upper) {
    switch (equation) {
      case Equation::square:
        return at::linalg_solve(a, b);
      case Equation::cholesky:
        return at::cholesky_solve(b, a, upper);
      case Equation::inverse:
        return at::linalg_inv(a);
      case Equation::least_squares:
        return at::matmul(at::linalg_pinv(a), b);
    }
    return {};
  }
  Judgement judge(const at::Tensor& x) const { return judge_solve(call, expected, {delivered(x.contiguous())}, contract); }
};

void expect_honest(const SolveTask& task, const at::Tensor& x) {
  const Judgement judgement = task.judge(x);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.6) << task.a.sizes();
  EXPECT_EQ(judgement.accuracy, Accuracy::fp32);
}

at::Tensor by_elimination(const at::Tensor& a, const at::Tensor& b, bool pivot, bool cut = false) {
  const auto [p, l, u] = eliminate(a, pivot, cut);
  return substitute_back(u, substitute(l, at::matmul(p.t(), b)));
}

TEST(Solve, HonestAlgorithmsPass) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {1, 2, 5, 17, 40, 64}) {
      const at::Tensor b = random({n, 3}, seed + 100);
      for (const at::Tensor& a : {random({n, n}, seed), definite(n, seed), random({n, n}, seed) + 1000}) {
        const SolveTask task(Equation::square, a, b);
        expect_honest(task, at::linalg_solve(a, b));
        expect_honest(task, by_elimination(a, b, true));
        expect_honest(task, testing::gauss_jordan(a, b));
      }
    }
}

TEST(Solve, VectorsAndBatchesPass) {
  const SolveTask vector(Equation::square, random({9, 9}), random({9}, 2));
  expect_honest(vector, at::linalg_solve(vector.a, vector.b));
  const SolveTask batch(Equation::square, random({3, 9, 9}), random({3, 9, 2}, 2));
  expect_honest(batch, at::linalg_solve(batch.a, batch.b));
  const SolveTask empty(Equation::square, random({0, 0}), random({0, 2}));
  EXPECT_TRUE(empty.judge(random({0, 2})).passed);
}

TEST(Solve, OneWrongColumnOfABatchFails) {
  const SolveTask task(Equation::square, random({3, 9, 9}), random({3, 9, 4}, 2));
  at::Tensor x = at::linalg_solve(task.a, task.b);
  x[2].select(1, 3).mul_(1.001);
  EXPECT_FALSE(task.judge(x).passed);
}

TEST(Solve, ADroppedPermutationFails) {
  const SolveTask task(Equation::square, random({9, 9}), random({9, 1}, 2));
  const auto [p, l, u] = eliminate(task.a, true);
  EXPECT_FALSE(task.judge(substitute_back(u, substitute(l, task.b))).passed);
  EXPECT_FALSE(task.judge(substitute_back(u, substitute(l, at::matmul(p, task.b)))).passed);
}

TEST(Solve, NoPivotingFailsWhereItIsNeeded) {
  const SolveTask task(Equation::square, at::tensor({1e-8f, 1.f, 1.f, 1.f}).view({2, 2}), at::tensor({1.f, 2.f}).view({2, 1}));
  EXPECT_FALSE(task.judge(by_elimination(task.a, task.b, false)).passed);
  expect_honest(task, by_elimination(task.a, task.b, true));
}

TEST(Solve, LowerPrecisionFails) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {17, 40}) {
      for (const at::Tensor& a : {random({n, n}, seed), definite(n, seed)}) {
        const SolveTask task(Equation::square, a, random({n, 3}, seed + 100));
        EXPECT_FALSE(task.judge(at::linalg_solve(tf32(a), task.b)).passed);
        EXPECT_FALSE(task.judge(at::linalg_solve(a.to(at::kHalf).to(at::kFloat), task.b)).passed);
        const Judgement judgement = task.judge(by_elimination(a, task.b, true, true));
        EXPECT_FALSE(judgement.passed);
        EXPECT_NE(judgement.accuracy, Accuracy::fp32);
      }
    }
}

TEST(Solve, ARidgeThatNobodyAskedForFails) {
  const SolveTask task(Equation::square, definite(17), random({17, 2}, 2));
  EXPECT_FALSE(task.judge(at::linalg_solve(task.a + 1e-3 * at::eye(17), task.b)).passed);
}

TEST(Solve, ZeroAndTheTransposedSystemFail) {
  const SolveTask task(Equation::square, random({9, 9}), random({9, 2}, 2));
  EXPECT_FALSE(task.judge(at::zeros({9, 2})).passed);
  EXPECT_FALSE(task.judge(task.b).passed);
  EXPECT_FALSE(task.judge(at::linalg_solve(task.a.t(), task.b)).passed);
  at::Tensor nan = at::linalg_solve(task.a, task.b);
  nan[3][1] = std::nanf("");
  EXPECT_FALSE(task.judge(nan).passed);
}

TEST(SolveCholesky, BothTrianglesPassAndTheOtherFlagFails) {
  for (const int64_t n : {2, 9, 33}) {
    const at::Tensor lower = at::linalg_cholesky(definite(n)), b = random({n, 2}, 2);
    const SolveTask low(Equation::cholesky, lower, b), up(Equation::cholesky, lower.t().contiguous(), b, true);
    const at::Tensor x = substitute_back(lower.t(), substitute(lower, b));
    expect_honest(low, x);
    expect_honest(up, x);
    expect_honest(low, at::cholesky_solve(b, lower, false));
    EXPECT_FALSE(up.judge(at::cholesky_solve(b, up.a, false)).passed);  // upper ignored: only the diagonal is seen
    EXPECT_FALSE(low.judge(at::cholesky_solve(b, lower, true)).passed);
  }
}

TEST(SolveCholesky, HalfASolveAndTheProductInTheOtherOrderFail) {
  const at::Tensor lower = at::linalg_cholesky(definite(9)), b = random({9, 2}, 2);
  const SolveTask task(Equation::cholesky, lower, b);
  EXPECT_FALSE(task.judge(substitute(lower, b)).passed);
  EXPECT_FALSE(task.judge(substitute(lower, substitute_back(lower.t(), b))).passed);
  EXPECT_FALSE(task.judge(at::cholesky_solve(b, tf32(lower))).passed);
}

at::Tensor by_qr(const at::Tensor& a, const at::Tensor& b) {
  const auto [q, r] = at::linalg_qr(a);
  return at::linalg_solve_triangular(r, at::matmul(q.t(), b), true);
}

// Modified Gram-Schmidt.
at::Tensor by_gram_schmidt(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor q = a.clone(), r = at::zeros({a.size(1), a.size(1)});
  for (int64_t j = 0; j < a.size(1); ++j) {
    r[j][j] = q.select(1, j).norm();
    q.select(1, j).div_(r[j][j]);
    for (int64_t k = j + 1; k < a.size(1); ++k) {
      r[j][k] = at::dot(q.select(1, j), q.select(1, k));
      q.select(1, k).sub_(q.select(1, j) * r[j][k]);
    }
  }
  return substitute_back(r, at::matmul(q.t(), b));
}

TEST(SolveLeastSquares, HonestAlgorithmsPass) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 1}, {9, 9}, {40, 9}, {64, 32}})
      for (const double offset : {0, 100}) {
        const SolveTask task(Equation::least_squares, random(shape, seed) + offset, random({shape[0], 3}, seed + 9));
        expect_honest(task, by_qr(task.a, task.b));
        expect_honest(task, by_gram_schmidt(task.a, task.b));
      }
}

TEST(SolveLeastSquares, OtherEquationsFail) {
  const SolveTask task(Equation::least_squares, random({20, 6}), random({20, 2}, 2));
  EXPECT_FALSE(task.judge(at::linalg_solve(task.a.narrow(0, 0, 6), task.b.narrow(0, 0, 6))).passed);  // the other rows dropped
  EXPECT_FALSE(task.judge(by_qr(tf32(task.a), task.b)).passed);
  EXPECT_FALSE(task.judge(at::zeros({6, 2})).passed);
  const at::Tensor ridge = at::matmul(task.a.t(), task.a) + 1e-3 * at::eye(6);
  EXPECT_FALSE(task.judge(at::linalg_solve(ridge, at::matmul(task.a.t(), task.b))).passed);
}

// Squaring the condition loses what QR keeps; the residual of the normal equations does not show it, the minimum does.
TEST(SolveLeastSquares, NormalEquationsOfAnIllConditionedSystemFail) {
  const at::Tensor q = std::get<0>(at::linalg_qr(random({20, 8}))), v = std::get<0>(at::linalg_qr(random({8, 8}, 3)));
  const at::Tensor a = at::matmul(q * at::logspace(0, -2.8, 8), v.t());
  const SolveTask task(Equation::least_squares, a, at::matmul(a, random({8, 1}, 4)));
  expect_honest(task, by_qr(a, task.b));
  EXPECT_FALSE(task.judge(at::linalg_solve(at::matmul(a.t(), a), at::matmul(a.t(), task.b))).passed);
}

TEST(SolveInverse, HonestAlgorithmsPass) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {1, 3, 17, 40}) {
      const SolveTask task(Equation::inverse, random({n, n}, seed), at::empty({0}));
      expect_honest(task, at::linalg_inv(task.a));
      expect_honest(task, by_elimination(task.a, at::eye(n), true));
      expect_honest(task, testing::gauss_jordan(task.a, at::eye(n)));
    }
}

TEST(SolveInverse, PInsteadOfItsTransposeFails) {
  const SolveTask task(Equation::inverse, random({9, 9}), at::empty({0}));
  const auto [p, l, u] = eliminate(task.a, true);
  EXPECT_FALSE(task.judge(substitute_back(u, substitute(l, p))).passed);
  expect_honest(task, substitute_back(u, substitute(l, p.t().contiguous())));
}

TEST(SolveInverse, LowerPrecisionAndOtherMatricesFail) {
  const SolveTask task(Equation::inverse, random({17, 17}), at::empty({0}));
  EXPECT_FALSE(task.judge(at::linalg_inv(tf32(task.a))).passed);
  EXPECT_FALSE(task.judge(by_elimination(task.a, at::eye(17), true, true)).passed);
  EXPECT_FALSE(task.judge(at::linalg_inv(task.a).t()).passed);
  EXPECT_FALSE(task.judge(at::zeros({17, 17})).passed);
  EXPECT_FALSE(task.judge(at::eye(17)).passed);
  EXPECT_FALSE(task.judge(at::linalg_inv(task.a) * 1e8).passed);
}

}  // namespace
}  // namespace kbx
