// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::complex_definite;
using testing::definite;
using testing::delivered;
using testing::detail;
using testing::random;
using testing::tf32;
using testing::wide_type;

struct CholeskyTask {
  at::Tensor a, eager;
  Call call;
  Expected expected;

  explicit CholeskyTask(const at::Tensor& matrix, bool upper = false) : a(matrix), eager(at::linalg_cholesky(a, upper)) {
    call.arguments = {testing::tensor_argument("A", a), testing::flag_argument("upper", upper)};
    expected.outputs = {testing::truth("result", eager, at::linalg_cholesky(a.to(wide_type(a)), upper))};
  }
  Judgement judge(const at::Tensor& factor) const { return judge_cholesky(call, expected, {delivered(factor)}); }
};

// Column after column, the rest updated at once: nothing of LAPACK, in the matrix's own type.
at::Tensor right_looking(const at::Tensor& a) {
  at::Tensor work = a.clone();
  const int64_t n = a.size(0);
  for (int64_t j = 0; j < n; ++j) {
    const at::Tensor root = at::real(work[j][j]).sqrt();
    work[j][j].copy_(root);
    at::Tensor column = work.select(1, j).narrow(0, j + 1, n - j - 1);
    column.div_(root);
    work.narrow(0, j + 1, n - j - 1).narrow(1, j + 1, n - j - 1).sub_(at::outer(column, column.conj()));
  }
  return work.tril();
}

void expect_honest(const CholeskyTask& task, const at::Tensor& factor) {
  const Judgement judgement = task.judge(factor);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.35) << task.a.sizes();
}

TEST(Cholesky, LapackAndARightLookingFactorisationPass) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {1, 2, 3, 9, 40, 96})
      for (const at::Tensor& a : {definite(n, seed), definite(n, seed) * 1e-6, definite(n, seed) + 1000,
                                  definite(n, seed).to(at::kDouble), complex_definite(n, seed)}) {
        const CholeskyTask lower(a), upper(a, true);
        expect_honest(lower, lower.eager);
        expect_honest(upper, upper.eager);
        expect_honest(lower, right_looking(a));
        expect_honest(upper, right_looking(a).mH().contiguous());
      }
}

// As GPUs have them.
TEST(Cholesky, RootsAndQuotientsThatAreAnUlpOffPass) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {1, 2, 9, 40}) {
      const CholeskyTask task(definite(n, seed));
      const at::Tensor sign = at::where(random({n, n}, seed + 9) > 0, 1.f, -1.f);
      const Judgement judgement = task.judge(right_looking(task.a) * (1 + sign * 0x1p-23f));
      EXPECT_TRUE(judgement.passed) << n << detail(judgement);
    }
}

TEST(Cholesky, BatchesAndEmptyMatricesPass) {
  for (const at::Tensor& a : {at::stack({definite(5), definite(5, 2)}), at::empty({0, 3, 3}), at::empty({0, 0})}) {
    const CholeskyTask task(a);
    EXPECT_TRUE(task.judge(task.eager).passed) << a.sizes();
  }
  at::Tensor wrong = CholeskyTask(at::stack({definite(5), definite(5, 2)})).eager.clone();
  wrong[1][4][2] += 0.01;
  EXPECT_FALSE(CholeskyTask(at::stack({definite(5), definite(5, 2)})).judge(wrong).passed);
}

TEST(Cholesky, ANearlySingularMatrixIsJudgedByItsProduct) {
  const at::Tensor x = random({24, 4}).to(at::kDouble);
  const at::Tensor a = (at::matmul(x, x.t()) + at::eye(24, at::kDouble) * 1e-4).to(at::kFloat);
  const CholeskyTask task(a);
  expect_honest(task, task.eager);
  expect_honest(task, right_looking(a));
}

TEST(Cholesky, WhatLiesInTheOtherTriangleFailsThoughTheProductIsRight) {
  const at::Tensor turned = at::tensor({0.8f, -0.6f, 0.6f, 0.8f}).view({2, 2});
  for (const bool upper : {false, true}) {
    const Judgement judgement = CholeskyTask(at::eye(2), upper).judge(turned);
    ASSERT_FALSE(judgement.passed);
    EXPECT_NE(detail(judgement).find(upper ? "below the diagonal" : "above the diagonal"), std::string::npos)
        << detail(judgement);
  }
}

TEST(Cholesky, ANegativeOrComplexDiagonalFailsThoughTheProductIsRight) {
  const CholeskyTask real(definite(9)), complex(complex_definite(9));
  at::Tensor sign = at::ones({9});
  sign[4] = -1;
  const Judgement judgement = real.judge(real.eager * sign);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("positive on the diagonal"), std::string::npos) << detail(judgement);
  EXPECT_FALSE(complex.judge(complex.eager * sign).passed);
  EXPECT_FALSE(complex.judge(complex.eager * at::polar(at::ones({9}), at::full({9}, 0.5))).passed);
}

TEST(Cholesky, TheFactorOfTheOtherProductIsNamed) {
  const at::Tensor a = definite(9);
  const at::Tensor reversed = at::linalg_cholesky(a.flip({0, 1})).flip({0, 1});  // upper triangular, A = U U'
  const Judgement upper = CholeskyTask(a, true).judge(reversed);
  ASSERT_FALSE(upper.passed);
  EXPECT_NE(detail(upper).find("U U^H = A holds"), std::string::npos) << detail(upper);
  const Judgement lower = CholeskyTask(a).judge(reversed.t().contiguous());
  ASSERT_FALSE(lower.passed);
  EXPECT_NE(detail(lower).find("L^H L = A holds"), std::string::npos) << detail(lower);
}

TEST(Cholesky, MistakesFail) {
  const CholeskyTask task(definite(9)), complex(complex_definite(9));
  const at::Tensor l = task.eager, d = l.diagonal();
  EXPECT_FALSE(task.judge(at::eye(9)).passed);
  EXPECT_FALSE(task.judge(at::zeros({9, 9})).passed);
  EXPECT_FALSE(task.judge(l.t().contiguous()).passed);
  EXPECT_FALSE(task.judge(l + task.a.triu(1)).passed);  // overwritten in place
  EXPECT_FALSE(task.judge(l / d).passed);               // the unit factor of L D L'
  EXPECT_FALSE(task.judge(l * d).passed);
  EXPECT_FALSE(task.judge(l * 1.01).passed);
  EXPECT_FALSE(task.judge(task.a.tril()).passed);
  EXPECT_FALSE(complex.judge(complex.eager.conj().resolve_conj()).passed);
  EXPECT_FALSE(task.judge(CholeskyTask(definite(9, 2)).eager).passed);
}

TEST(Cholesky, InputsAndUpdatesCutToTf32Fail) {
  for (const int64_t n : {3, 9, 64}) {
    const CholeskyTask task(definite(n));
    EXPECT_FALSE(task.judge(at::linalg_cholesky(tf32(task.a))).passed) << n;
    EXPECT_FALSE(task.judge(tf32(task.eager)).passed) << n;
  }
}

// Whose sums in blocks err ten times less than approximate square roots and quotients.
TEST(Cholesky, AHundredTimesTheResidualOfLapackFails) {
  for (const int64_t n : {24, 40, 96}) {
    const CholeskyTask task(definite(n));
    const at::Tensor l = task.eager.to(at::kDouble);
    const double residual = testing::relative_residual(task.a, at::matmul(l, l.t()));
    EXPECT_FALSE(task.judge((l * (1 + 50 * residual)).to(at::kFloat)).passed) << n;
  }
}

TEST(Cholesky, NaNAnotherShapeAndAnotherTypeFail) {
  const CholeskyTask task(definite(5));
  at::Tensor odd = task.eager.clone();
  odd[3][1] = std::nanf("");
  EXPECT_FALSE(task.judge(odd).passed);
  EXPECT_FALSE(task.judge(task.eager.narrow(0, 0, 4)).passed);
  EXPECT_FALSE(task.judge(task.eager.to(at::kDouble)).passed);
}

}  // namespace
}  // namespace kbx
