// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/eig.h"

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

struct Pairs {
  at::Tensor w, v;
};

Pairs eig(const at::Tensor& a) {
  const auto [w, v] = at::linalg_eig(a);
  return {w, v};
}

struct EigTask {
  at::Tensor a;
  Pairs eager;
  Call call;
  Expected expected;

  explicit EigTask(const at::Tensor& matrix) : a(matrix), eager(eig(a)) {
    call.arguments = {testing::tensor_argument("A", a)};
    const Pairs wide = eig(a.to(wide_type(a)));
    expected.outputs = {testing::truth("eigenvalues", eager.w, wide.w), testing::truth("eigenvectors", eager.v, wide.v)};
  }
  Judgement judge(const at::Tensor& w, const at::Tensor& v) const {
    return judge_eig(call, expected, {delivered(w.to(eager.w.scalar_type())), delivered(v.to(eager.v.scalar_type()))});
  }
  Judgement judge(const Pairs& p) const { return judge(p.w, p.v); }
};

at::Tensor complex_normal(at::IntArrayRef shape, uint64_t seed = 1) {
  return at::complex(random(shape, seed), random(shape, seed + 100));
}
at::Tensor symmetric(int64_t n, uint64_t seed = 1) {
  const at::Tensor x = random({n, n}, seed);
  return (x + x.t()) / 2;
}

// Shifted QR iteration on the whole matrix in complex64, and eigenvectors of the triangle by substitution.
Pairs qr_iteration(const at::Tensor& matrix) {
  using Complex = c10::complex<float>;
  const int64_t n = matrix.size(0);
  at::Tensor t = matrix.to(at::kComplexFloat).clone(), q = at::eye(n, at::kComplexFloat);
  for (int64_t m = n; m > 1;) {
    const auto entry = [&](int64_t i, int64_t j) { return t[i][j].item<Complex>(); };
    double left = 0;
    for (int64_t j = 0; j + 1 < m; ++j) left = std::max(left, static_cast<double>(std::abs(entry(m - 1, j))));
    if (left <= 3e-8 * t.norm().item<Complex>().real()) {
      t[m - 1].narrow(0, 0, m - 1).zero_();
      --m;
      continue;
    }
    const Complex a = entry(m - 2, m - 2), b = entry(m - 2, m - 1), c = entry(m - 1, m - 2), d = entry(m - 1, m - 1);
    const Complex half = (a + d) / 2.f, root = std::sqrt((a - d) * (a - d) / 4.f + b * c);
    const Complex shift = std::abs(half + root - d) < std::abs(half - root - d) ? half + root : half - root;
    const at::Tensor moved = t.narrow(0, 0, m).narrow(1, 0, m) - at::eye(m, at::kComplexFloat) * c10::Scalar(shift);
    const auto [qk, rk] = at::linalg_qr(moved);
    t.narrow(0, 0, m).narrow(1, m, n - m).copy_(at::matmul(qk.mH(), t.narrow(0, 0, m).narrow(1, m, n - m)));
    t.narrow(0, 0, m).narrow(1, 0, m).copy_(at::matmul(rk, qk) + at::eye(m, at::kComplexFloat) * c10::Scalar(shift));
    q.narrow(1, 0, m).copy_(at::matmul(q.narrow(1, 0, m), qk));
  }
  at::Tensor x = at::zeros({n, n}, at::kComplexFloat);
  auto y = x.accessor<Complex, 2>(), u = t.accessor<Complex, 2>();
  for (int64_t j = 0; j < n; ++j) {
    y[j][j] = 1;
    for (int64_t i = j; i-- > 0;) {
      Complex sum = 0;
      for (int64_t k = i + 1; k <= j; ++k) sum += u[i][k] * y[k][j];
      Complex distance = u[j][j] - u[i][i];
      if (std::abs(distance) < 1e-7f * std::abs(u[j][j])) distance = Complex(1e-7f * std::abs(u[j][j]));
      y[i][j] = sum / distance;
    }
  }
  const at::Tensor v = at::matmul(q, x);
  return {t.diagonal().clone(), v / at::linalg_vector_norm(v, 2, at::IntArrayRef{0}, true)};
}

void expect_honest(const EigTask& task, const Pairs& p) {
  const Judgement judgement = task.judge(p);
  EXPECT_TRUE(judgement.passed) << task.a.sizes() << detail(judgement);
  EXPECT_LT(judgement.ratio, 0.7) << task.a.sizes();
}

TEST(Eig, LapackPasses) {
  for (const uint64_t seed : {1, 2, 3, 4, 5})
    for (const int64_t n : {1, 2, 3, 5, 9, 24, 60})
      for (const at::Tensor& a :
           {random({n, n}, seed), random({n, n}, seed) + 1000, random({n, n}, seed) * 1e-8, symmetric(n, seed),
            testing::definite(n, seed), random({n, n}, seed).to(at::kDouble), complex_normal({n, n}, seed),
            random({n, n}, seed) * at::where(random({n, n}, seed + 7) > 2, 50.f, 1.f)}) {
        const EigTask task(a);
        expect_honest(task, task.eager);
      }
}

TEST(Eig, AnotherAlgorithmPasses) {
  for (const uint64_t seed : {1, 2, 3})
    for (const int64_t n : {2, 5, 12, 24})
      for (const at::Tensor& a : {random({n, n}, seed), symmetric(n, seed), complex_normal({n, n}, seed)}) {
        const EigTask task(a);
        expect_honest(task, qr_iteration(a));
      }
}

// Equal eigenvalues: of the identity, a pair of fives, planes that turn.
TEST(Eig, AnyBasisForEqualEigenvaluesPasses) {
  const at::Tensor twice = at::tensor({4.f, 1.f, 0.f, 1.f, 4.f, 0.f, 0.f, 0.f, 5.f}).view({3, 3});
  const at::Tensor q = std::get<0>(at::linalg_qr(random({6, 6}, 3)));
  const at::Tensor pairs = at::matmul(q * at::tensor({1.f, 1.f, 1.f, 2.f, 2.f, -3.f}), q.t());
  for (const at::Tensor& a : {at::eye(5), at::zeros({4, 4}), twice, pairs}) {
    const EigTask task(a);
    expect_honest(task, task.eager);
  }
  expect_honest(EigTask(twice), qr_iteration(twice));
  const EigTask identity(at::eye(6));
  EXPECT_TRUE(identity.judge(at::ones({6}), q).passed);
  const at::Tensor skew = at::eye(6) + at::ones({6, 6}).triu(1) * 0.5;  // not orthogonal
  EXPECT_TRUE(identity.judge(at::ones({6}), skew / at::linalg_vector_norm(skew, 2, at::IntArrayRef{0}, true)).passed);
}

TEST(Eig, OrderSignAndPhaseAreFree) {
  const EigTask task(random({9, 9}));
  const at::Tensor order = at::randperm(9, at::make_generator<at::CPUGeneratorImpl>(1));
  const at::Tensor phase = at::polar(at::ones({9}), at::arange(9, at::kFloat));
  EXPECT_TRUE(task.judge(task.eager.w.index_select(0, order), task.eager.v.index_select(1, order)).passed);
  EXPECT_TRUE(task.judge(task.eager.w, task.eager.v * phase).passed);
  EXPECT_TRUE(task.judge(task.eager.w, -task.eager.v).passed);
}

TEST(Eig, VectorsOfAnotherLengthFail) {
  const EigTask task(random({9, 9}));
  const Judgement judgement = task.judge(task.eager.w, task.eager.v * 1.001);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("lengths"), std::string::npos) << detail(judgement);
}

TEST(Eig, RowsInsteadOfColumnsAreNamed) {
  const EigTask task(random({9, 9}));
  const Judgement judgement = task.judge(task.eager.w, task.eager.v.t());
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("rows of V"), std::string::npos) << detail(judgement);
}

// Unit vectors, independent, with the right eigenvalues, that are no eigenvectors.
TEST(Eig, VectorsOfAnotherMatrixFail) {
  const EigTask task(symmetric(9)), other(symmetric(9, 2));
  const Judgement judgement = task.judge(task.eager.w, other.eager.v);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("||A v - w v||"), std::string::npos) << detail(judgement);
  EXPECT_FALSE(task.judge(task.eager.w, at::eye(9)).passed);
  EXPECT_FALSE(task.judge(task.eager.w.flip(0), task.eager.v).passed);
  EXPECT_FALSE(task.judge(other.eager).passed);
}

// [1 1; 0 1 + d]: for a small d the residual of a pair near the first one is below any bound.
TEST(Eig, TheSameEigenvalueTwiceFailsThoughResidualAndIndependenceHold) {
  const float d = 3e-3f, step = 9e-7f;
  const EigTask task(at::tensor({1.f, 1.f, 0.f, 1 + d}).view({2, 2}));
  EXPECT_TRUE(task.judge(task.eager).passed);
  const Judgement judgement = task.judge(at::ones({2}), at::tensor({1.f, 1.f, 0.f, step}).view({2, 2}));
  ASSERT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.findings.size(), 1u) << detail(judgement);
  EXPECT_NE(detail(judgement).find("more often than they occur"), std::string::npos) << detail(judgement);
}

TEST(Eig, TheSameVectorTwiceFailsThoughResidualAndEigenvaluesHold) {
  const EigTask identity(at::eye(4));
  at::Tensor v = at::eye(4);
  v.select(1, 2).copy_(v.select(1, 1));
  const Judgement judgement = identity.judge(at::ones({4}), v);
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("independent"), std::string::npos) << detail(judgement);
  v[0][2] = 1e-7f;  // the same but for rounding
  EXPECT_FALSE(identity.judge(at::ones({4}), v).passed);
  const EigTask task(random({9, 9}));
  at::Tensor w = task.eager.w.clone(), x = task.eager.v.clone();
  w[3] = w[5];
  x.select(1, 3).copy_(x.select(1, 5));
  EXPECT_FALSE(task.judge(w, x).passed);
}

TEST(Eig, MistakesFail) {
  const EigTask task(random({9, 9})), complex(complex_normal({9, 9}));
  const auto [lower_w, lower_v] = at::linalg_eigh(task.a);  // as if it were symmetric
  EXPECT_FALSE(task.judge(lower_w, lower_v).passed);
  EXPECT_FALSE(task.judge(at::real(task.eager.w), task.eager.v).passed);
  EXPECT_FALSE(task.judge(task.eager.w.conj(), task.eager.v).passed);
  EXPECT_FALSE(complex.judge(complex.eager.w, complex.eager.v.conj()).passed);
  EXPECT_FALSE(complex.judge(eig(complex.a.mH().resolve_conj())).passed);  // left eigenvectors
  EXPECT_FALSE(task.judge(at::zeros({9}), at::zeros({9, 9})).passed);
  EXPECT_FALSE(task.judge(task.eager.w * 1.01, task.eager.v).passed);
  EXPECT_FALSE(task.judge(task.a.diagonal(), at::eye(9)).passed);
  at::Tensor near = task.eager.v + complex_normal({9, 9}, 3) * 1e-4;  // too few iterations
  EXPECT_FALSE(task.judge(task.eager.w, near / at::linalg_vector_norm(near, 2, at::IntArrayRef{0}, true)).passed);
}

TEST(Eig, InputsAndVectorsCutToTf32Fail) {
  for (const int64_t n : {3, 9, 60}) {
    const EigTask task(symmetric(n));
    EXPECT_FALSE(task.judge(eig(tf32(task.a))).passed) << n;
    EXPECT_FALSE(task.judge(task.eager.w, tf32(at::real(task.eager.v))).passed) << n;
  }
}

TEST(Eig, TenTimesTheResidualOfLapackFails) {
  for (const uint64_t seed : {1, 2, 3}) {
    const EigTask task(testing::definite(24, seed));
    const at::Tensor w = task.eager.w.to(at::kComplexDouble), v = task.eager.v.to(at::kComplexDouble);
    const at::Tensor error = at::matmul(task.a.to(at::kComplexDouble), v) - v * w;
    const double largest = at::linalg_vector_norm(error, 2, at::IntArrayRef{0}).max().item<double>();
    EXPECT_FALSE(task.judge(w + 10 * largest, v).passed) << seed;
  }
}

TEST(Eig, OneWrongMatrixOfABatchAndNaNFail) {
  const EigTask task(random({5, 6, 6}));
  EXPECT_TRUE(task.judge(task.eager).passed);
  at::Tensor v = task.eager.v.clone();
  v[4].copy_(v[3]);
  EXPECT_FALSE(task.judge(task.eager.w, v).passed);
  at::Tensor w = task.eager.w.clone();
  w[2][1] = std::nanf("");
  EXPECT_FALSE(task.judge(w, task.eager.v).passed);
}

TEST(Eig, EmptyMatricesPass) {
  for (const at::Tensor& a : {at::empty({0, 0}), at::empty({0, 3, 3})}) EXPECT_TRUE(EigTask(a).judge(EigTask(a).eager).passed);
}

}  // namespace
}  // namespace kbx
