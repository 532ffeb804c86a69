// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/ldl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kinds/calls.h"
#include "kinds/matrices.h"

namespace kbx {
namespace {

using testing::definite;
using testing::delivered;
using testing::detail;
using testing::random;
using testing::tf32;
using testing::wide_type;

at::Tensor symmetric(int64_t n, uint64_t seed = 1) {
  const at::Tensor x = random({n, n}, seed);
  return (x + x.t()) / 2;
}
at::Tensor complex_normal(int64_t n, uint64_t seed) { return at::complex(random({n, n}, seed), random({n, n}, seed + 100)); }
at::Tensor complex_symmetric(int64_t n, uint64_t seed = 1) {
  const at::Tensor x = complex_normal(n, seed);
  return (x + x.t()) / 2;
}
at::Tensor hermitian(int64_t n, uint64_t seed = 1) {
  const at::Tensor x = complex_normal(n, seed);
  return ((x + x.mH()) / 2).resolve_conj();
}

struct Factors {
  at::Tensor packed, pivots;
};

struct LdlTask {
  at::Tensor a;
  Factors eager;
  Call call;
  Expected expected;

  explicit LdlTask(const at::Tensor& matrix, bool is_hermitian = false) : a(matrix) {
    call.arguments = {testing::tensor_argument("A", a), testing::flag_argument("hermitian", is_hermitian)};
    at::Tensor info;  // a zero in D is no mistake
    std::tie(eager.packed, eager.pivots, info) = at::linalg_ldl_factor_ex(a, is_hermitian);
    const auto wide = at::linalg_ldl_factor_ex(a.to(wide_type(a)), is_hermitian);
    expected.outputs = {testing::truth("LD", eager.packed, std::get<0>(wide)),
                        testing::truth("pivots", eager.pivots, eager.pivots)};
  }
  Judgement judge(const at::Tensor& packed, const at::Tensor& pivots) const {
    return judge_ldl(call, expected, {delivered(packed), delivered(pivots)});
  }
  Judgement judge(const Factors& f) const { return judge(f.packed, f.pivots); }
};

void exchange(at::Tensor& work, int64_t i, int64_t j) {
  at::Tensor order = at::arange(work.size(0));
  order[i] = j;
  order[j] = i;
  work = work.index_select(0, order).index_select(1, order);
}

// Diagonal pivoting by the rule of Bunch and Kaufman with any alpha, one step after the other on full matrices in their own type.
// alpha = 0: never an exchange, never a block of two. `moved`: as textbooks have it, with earlier columns of L exchanged too.
Factors diagonal_pivoting(const at::Tensor& a, bool is_hermitian, double alpha, bool moved = false) {
  const int64_t n = a.size(0);
  at::Tensor work = a.clone(), packed = at::zeros_like(a), pivots = at::zeros({n}, at::kInt);
  const auto star = [&](const at::Tensor& x) { return is_hermitian ? x.conj() : x; };
  const auto size = [&](int64_t i, int64_t j) { return work[i][j].abs().item<double>(); };
  for (int64_t k = 0; k < n;) {
    if (is_hermitian && a.is_complex()) at::imag(work.diagonal()).zero_();
    int64_t other = k, width = 1;
    if (alpha > 0 && k + 1 < n) {
      const at::Tensor column = work.select(1, k).narrow(0, k + 1, n - k - 1).abs();
      const int64_t r = k + 1 + column.argmax().item<int64_t>();
      const double largest = column.max().item<double>();
      if (size(k, k) < alpha * largest) {
        at::Tensor row = work[r].abs().narrow(0, k, n - k).clone();
        row[r - k] = 0;
        const double beside = row.max().item<double>();
        if (size(k, k) * beside >= alpha * largest * largest) {
        } else if (size(r, r) >= alpha * beside) {
          other = r;
        } else {
          other = r;
          width = 2;
        }
      }
    }
    const int64_t own = k + width - 1, rest = k + width;
    exchange(work, own, other);
    if (moved && own != other) {
      const at::Tensor row = packed[own].narrow(0, 0, k).clone();
      packed[own].narrow(0, 0, k).copy_(packed[other].narrow(0, 0, k));
      packed[other].narrow(0, 0, k).copy_(row);
    }
    pivots.narrow(0, k, width).fill_(width == 2 ? -(other + 1) : other + 1);
    const at::Tensor block = work.narrow(0, k, width).narrow(1, k, width).clone();
    packed.narrow(0, k, width).narrow(1, k, width).copy_(block.tril());
    if (rest < n && block.abs().max().item<double>() > 0) {
      const at::Tensor below = work.narrow(0, rest, n - rest).narrow(1, k, width).clone();
      const at::Tensor l = width == 1 ? below / block : at::matmul(below, at::linalg_inv(block));
      packed.narrow(0, rest, n - rest).narrow(1, k, width).copy_(l);
      work.narrow(0, rest, n - rest).narrow(1, rest, n - rest).sub_(at::matmul(l, star(below.t())));
    }
    k += width;
  }
  return {packed, pivots};
}

constexpr double kBunchKaufman = 0.6403882032022076;  // (1 + sqrt(17)) / 8

void expect_honest(const LdlTask& task, const Factors& f) {
  const Judgement judgement = task.judge(f);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.7) << task.a.sizes();
}

TEST(Ldl, LapackAndAnotherDiagonalPivotingPass) {
  for (const uint64_t seed : {1, 2, 3, 4})
    for (const int64_t n : {1, 2, 3, 9, 24, 60})
      for (const at::Tensor& a : {symmetric(n, seed), symmetric(n, seed) * 1e-6, symmetric(n, seed) + 1000, definite(n, seed),
                                  symmetric(n, seed).to(at::kDouble), at::zeros({n, n}), complex_symmetric(n, seed)}) {
        const LdlTask task(a);
        expect_honest(task, task.eager);
        expect_honest(task, diagonal_pivoting(a, false, kBunchKaufman));
      }
}

// Of some hundred matrices one has elements that grow ten times more than those of most.
TEST(Ldl, LapackPassesWhereElementsGrow) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const LdlTask real(symmetric(33, seed)), complex(hermitian(24, seed), true);
    worst = std::max({worst, real.judge(real.eager).ratio, complex.judge(complex.eager).ratio});
  }
  EXPECT_LT(worst, 0.8);
}

TEST(Ldl, HermitianMatricesPass) {
  for (const uint64_t seed : {1, 2, 3, 4})
    for (const int64_t n : {1, 2, 3, 9, 24, 60}) {
      const LdlTask task(hermitian(n, seed), true);
      expect_honest(task, task.eager);
      Factors f = diagonal_pivoting(task.a, true, kBunchKaufman);
      at::imag(f.packed.diagonal()).zero_();
      expect_honest(task, f);
      if (n > 1) {
        EXPECT_FALSE(LdlTask(task.a, false).judge(f).passed);  // another product
      }
    }
}

TEST(Ldl, OtherChoicesOfPivotsPass) {
  for (const uint64_t seed : {1, 2, 3}) {
    const LdlTask task(symmetric(24, seed)), positive(definite(24, seed));
    expect_honest(task, diagonal_pivoting(task.a, false, 0.5));
    expect_honest(task, diagonal_pivoting(task.a, false, 0.75));
    expect_honest(positive, diagonal_pivoting(positive.a, false, 0));  // no exchange at all
  }
}

TEST(Ldl, NoExchangesFailWhereTheElementsGrow) {
  at::Tensor a = symmetric(24);
  a[0][0] = 1e-6;
  EXPECT_FALSE(LdlTask(a).judge(diagonal_pivoting(a, false, 0)).passed);
}

TEST(Ldl, PivotsThatAreNoneFail) {
  const LdlTask zero(at::zeros({4, 4}));  // whose product is right whatever the pivots
  EXPECT_TRUE(zero.judge(at::zeros({4, 4}), at::tensor({1, 2, 3, 4}, at::kInt)).passed);
  EXPECT_TRUE(zero.judge(at::zeros({4, 4}), at::tensor({4, -3, -3, 4}, at::kInt)).passed);
  for (const std::vector<int>& pivots : {std::vector<int>{0, 0, 0, 0},
                                         {0, 1, 2, 3},
                                         {1, 1, 3, 4},
                                         {1, 2, 3, 5},
                                         {-2, 2, 3, 4},
                                         {-2, -3, 3, 4},
                                         {1, 2, 3, -4},
                                         {-1, -1, 3, 4},
                                         {-5, -5, 3, 4}}) {
    const Judgement judgement = zero.judge(at::zeros({4, 4}), at::tensor(pivots, at::kInt));
    ASSERT_FALSE(judgement.passed) << pivots[0] << pivots[1] << pivots[2] << pivots[3];
    EXPECT_NE(detail(judgement).find("LAPACK"), std::string::npos) << detail(judgement);
  }
  const LdlTask task(symmetric(9));
  EXPECT_FALSE(task.judge(task.eager.packed, task.eager.pivots - 1).passed);
  EXPECT_FALSE(task.judge(task.eager.packed, at::arange(1, 10, at::kInt)).passed);
  EXPECT_FALSE(task.judge(task.eager.packed, task.eager.pivots.to(at::kLong)).passed);
}

TEST(Ldl, WhatLiesAboveTheDiagonalFails) {
  const LdlTask task(symmetric(9));
  const Judgement judgement = task.judge(task.eager.packed + task.a.triu(1), task.eager.pivots);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("above the diagonal"), std::string::npos) << detail(judgement);
  EXPECT_FALSE(task.judge(task.eager.packed.t().contiguous(), task.eager.pivots).passed);
}

TEST(Ldl, AHermitianDThatIsNotRealFails) {
  const LdlTask task(hermitian(9), true);
  at::Tensor packed = task.eager.packed.clone();
  at::imag(packed)[4][4] = 1e-12;
  const Judgement judgement = task.judge(packed, task.eager.pivots);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("not real"), std::string::npos) << detail(judgement);
}

TEST(Ldl, MistakesFail) {
  for (const uint64_t seed : {1, 2, 3}) {
    const LdlTask task(symmetric(12, seed)), complex(complex_symmetric(12, seed)), herm(hermitian(12, seed), true);
    const Factors f = task.eager;
    EXPECT_FALSE(task.judge(diagonal_pivoting(task.a, false, kBunchKaufman, /*moved=*/true)).passed);
    EXPECT_FALSE(task.judge(f.packed * 1.01, f.pivots).passed);
    EXPECT_FALSE(task.judge(at::zeros_like(f.packed), f.pivots).passed);
    EXPECT_FALSE(task.judge(task.a.tril(), f.pivots).passed);
    EXPECT_FALSE(task.judge(f.packed.tril(-1) + at::eye(12), f.pivots).passed);  // without D
    EXPECT_FALSE(task.judge(LdlTask(symmetric(12, seed + 9)).eager).passed);
    EXPECT_FALSE(complex.judge(diagonal_pivoting(complex.a, true, kBunchKaufman)).passed);
    Factors conjugated = herm.eager;
    conjugated.packed = conjugated.packed.conj().resolve_conj();
    EXPECT_FALSE(herm.judge(conjugated).passed);
  }
}

TEST(Ldl, InputsAndFactorsCutToTf32Fail) {
  for (const int64_t n : {3, 9, 60}) {
    const LdlTask task(symmetric(n));
    const auto [packed, pivots] = at::linalg_ldl_factor(tf32(task.a));
    EXPECT_FALSE(task.judge(packed, pivots).passed) << n;
    EXPECT_FALSE(task.judge(tf32(task.eager.packed), task.eager.pivots).passed) << n;
  }
}

// How much the elements grow, and errors with them, differs from matrix to matrix.
TEST(Ldl, ThirtyTimesTheResidualOfLapackFails) {
  for (const uint64_t seed : {1, 2, 3}) {
    const LdlTask task(symmetric(128, seed));
    const double p = 12 * 0x1p-24 * (1 + std::sqrt(128.0)), residual = task.judge(task.eager).ratio * p;
    // L stays and D grows, and with it the product.
    at::Tensor packed = task.eager.packed.to(at::kDouble).clone();
    const at::Tensor pivots = task.eager.pivots;
    for (int64_t k = 0; k < 128; ++k) {
      packed[k][k] *= 1 + 30 * residual;
      if (pivots[k].item<int>() < 0 && k + 1 < 128 && pivots[k + 1].equal(pivots[k])) {
        packed[k + 1][k] *= 1 + 30 * residual;
        packed[k + 1][k + 1] *= 1 + 30 * residual;
        ++k;
      }
    }
    EXPECT_FALSE(task.judge(packed.to(at::kFloat), pivots).passed) << residual / p;
  }
}

TEST(Ldl, OneWrongMatrixOfABatchAndNaNFail) {
  const LdlTask task(at::stack({symmetric(7), symmetric(7, 2), symmetric(7, 3)}));
  EXPECT_TRUE(task.judge(task.eager).passed);
  at::Tensor wrong = task.eager.packed.clone();
  wrong[2][6][1] += 0.01;
  EXPECT_FALSE(task.judge(wrong, task.eager.pivots).passed);
  wrong[2][6][1] = std::nanf("");
  EXPECT_FALSE(task.judge(wrong, task.eager.pivots).passed);
}

TEST(Ldl, EmptyMatricesPass) {
  for (const at::Tensor& a : {at::empty({0, 0}), at::empty({0, 3, 3})}) EXPECT_TRUE(LdlTask(a).judge(LdlTask(a).eager).passed);
}

}  // namespace
}  // namespace kbx
