// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/svd.h"

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

using Factors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

// One SVD task on one matrix; the truth is LAPACK's answer in float64.
struct SvdTask {
  at::Tensor a;
  Call call;
  Expected expected;
  Factors eager;

  explicit SvdTask(const at::Tensor& matrix, bool full = false) : a(matrix) {
    call.arguments = {testing::tensor_argument("A", a)};
    eager = at::linalg_svd(a, full);
    const auto wide = at::isComplexType(a.scalar_type()) ? at::kComplexDouble : at::kDouble;
    const auto [u, s, vh] = at::linalg_svd(a.to(wide), full);
    expected.outputs = {testing::truth("U", std::get<0>(eager), u), testing::truth("S", std::get<1>(eager), s),
                        testing::truth("Vh", std::get<2>(eager), vh)};
  }
  Judgement judge(const at::Tensor& u, const at::Tensor& s, const at::Tensor& vh) const {
    return judge_svd(call, expected, {delivered(u), delivered(s), delivered(vh)});
  }
  Judgement judge(const Factors& f) const { return judge(std::get<0>(f), std::get<1>(f), std::get<2>(f)); }
};

// One-sided Jacobi in float32: an honest algorithm that shares nothing with LAPACK's bidiagonalisation. m >= n.
Factors one_sided_jacobi(const at::Tensor& a) {
  at::Tensor w = a.clone(), v = at::eye(a.size(1));
  const int64_t m = a.size(0), n = a.size(1);
  auto x = w.accessor<float, 2>(), y = v.accessor<float, 2>();
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        float alpha = 0, beta = 0, gamma = 0;
        for (int64_t i = 0; i < m; ++i) alpha += x[i][p] * x[i][p], beta += x[i][q] * x[i][q], gamma += x[i][p] * x[i][q];
        if (std::abs(gamma) <= 1e-7f * std::sqrt(alpha * beta)) continue;
        const float zeta = (beta - alpha) / (2 * gamma);
        const float t = std::copysign(1.f, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const float c = 1 / std::sqrt(1 + t * t), s = c * t;
        const auto rotate = [&](auto& rows, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            const float left = rows[i][p], right = rows[i][q];
            rows[i][p] = c * left - s * right;
            rows[i][q] = s * left + c * right;
          }
        };
        rotate(x, m);
        rotate(y, n);
      }
  const at::Tensor norms = w.norm(2, {0});
  const at::Tensor order = norms.argsort(0, true);
  const at::Tensor s = norms.index_select(0, order);
  return {w.index_select(1, order) / s, s, v.index_select(1, order).t().contiguous()};
}

std::vector<at::Tensor> matrices() {
  const at::Tensor q = std::get<0>(at::linalg_qr(random({40, 40}, 5)));
  std::vector<at::Tensor> all{at::tensor({3.f, 1.f, 1.f, 3.f}).view({2, 2}),
                              at::eye(3),
                              at::zeros({4, 6}),
                              at::ones({9, 5}),
                              random({1, 1}),
                              random({1, 7}),
                              random({7, 1}),
                              random({64, 32}),
                              random({33, 65}),
                              random({256, 256}),
                              random({4, 12, 9}),
                              random({2, 3, 5, 5}),
                              random({20, 20}) * 1e-30,
                              random({20, 20}) * 1e30,
                              at::matmul(random({50, 3}), random({3, 50}, 2)),                    // rank 3
                              at::matmul(q * at::logspace(0, -7, 40), q.t()),                     // graded
                              random({64, 32}) * at::where(random({64, 32}, 8) > 3, 50.f, 1.f)};  // outliers
  return all;
}

TEST(Svd, LapackPassesFullAndReduced) {
  for (const at::Tensor& a : matrices())
    for (const bool full : {false, true}) {
      const SvdTask task(a, full);
      const Judgement judgement = task.judge(task.eager);
      EXPECT_TRUE(judgement.passed) << a.sizes() << detail(judgement);
      EXPECT_LT(judgement.ratio, 0.5) << a.sizes();
      EXPECT_EQ(judgement.accuracy, Accuracy::fp32);
    }
}

TEST(Svd, AnotherAlgorithmPasses) {
  for (const uint64_t seed : {1, 2, 3})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{64, 32}, {5, 5}, {96, 96}}) {
      const SvdTask task(random(shape, seed));
      const Judgement judgement = task.judge(one_sided_jacobi(task.a));
      EXPECT_TRUE(judgement.passed) << detail(judgement);
      EXPECT_LT(judgement.ratio, 0.5);
    }
}

TEST(Svd, Float64AndComplexPass) {
  const SvdTask real(random({30, 20}).to(at::kDouble));
  EXPECT_EQ(real.judge(real.eager).accuracy, Accuracy::fp64);
  EXPECT_TRUE(real.judge(real.eager).passed);
  const SvdTask complex(at::complex(random({30, 20}), random({30, 20}, 2)), true);
  const Judgement judgement = complex.judge(complex.eager);
  EXPECT_TRUE(judgement.passed) << detail(judgement);
}

TEST(Svd, SignPhaseAndBasesOfRepeatedValuesAreFree) {
  const SvdTask task(random({12, 8}), true);
  const auto& [u, s, vh] = task.eager;
  at::Tensor sign = at::ones({8});
  sign[2] = -1;
  sign[5] = -1;
  at::Tensor flipped = u.clone();
  flipped.narrow(1, 0, 8).mul_(sign);
  EXPECT_TRUE(task.judge(flipped, s, vh * sign.unsqueeze(1)).passed);
  at::Tensor null_space = u.clone();  // columns 8.. span the null space: any orthonormal basis
  null_space.narrow(1, 8, 4).copy_(at::matmul(u.narrow(1, 8, 4), std::get<0>(at::linalg_qr(random({4, 4})))));
  EXPECT_TRUE(task.judge(null_space, s, vh).passed);

  const SvdTask identity(at::eye(6));
  const at::Tensor q = std::get<0>(at::linalg_qr(random({6, 6})));
  EXPECT_TRUE(identity.judge(q, at::ones({6}), q.t()).passed);

  const SvdTask complex(at::complex(random({6, 6}), random({6, 6}, 2)));
  const auto& [cu, cs, cvh] = complex.eager;
  const at::Tensor phase = at::polar(at::ones({6}), at::arange(6, at::kFloat));
  EXPECT_TRUE(complex.judge(cu * phase, cs, cvh * phase.conj().unsqueeze(1)).passed);
}

TEST(Svd, OneFlippedSignWithoutItsPartnerFails) {
  const SvdTask task(random({12, 8}));
  const auto& [u, s, vh] = task.eager;
  at::Tensor flipped = u.clone();
  flipped.select(1, 7).neg_();
  EXPECT_FALSE(task.judge(flipped, s, vh).passed);
}

TEST(Svd, VInsteadOfVhIsNamed) {
  const SvdTask task(random({12, 8}));
  const auto& [u, s, vh] = task.eager;
  const Judgement judgement = task.judge(u, s, vh.mH().contiguous());
  ASSERT_FALSE(judgement.passed);
  EXPECT_NE(detail(judgement).find("V was returned"), std::string::npos) << detail(judgement);
}

TEST(Svd, AscendingOrNegativeValuesFailThoughTheyReproduceTheMatrix) {
  const SvdTask task(random({12, 8}));
  const auto& [u, s, vh] = task.eager;
  const Judgement ascending = task.judge(u.flip(1), s.flip(0), vh.flip(0));
  ASSERT_FALSE(ascending.passed);
  EXPECT_NE(detail(ascending).find("descending"), std::string::npos);
  at::Tensor negative = s.clone(), minus = u.clone();
  negative[7] *= -1;
  minus.select(1, 7).neg_();
  EXPECT_FALSE(task.judge(minus, negative, vh).passed);
}

TEST(Svd, FactorsThatReproduceTheMatrixButAreNotOrthogonalFail) {
  const SvdTask task(random({8, 8}));
  EXPECT_FALSE(task.judge(task.a / std::get<1>(task.eager), std::get<1>(task.eager), at::eye(8)).passed);  // U = A / S, V = I
}

TEST(Svd, EigenvaluesOfTheGramMatrixLoseSmallSingularValues) {
  const at::Tensor q = std::get<0>(at::linalg_qr(random({20, 20}, 5)));
  const SvdTask task(at::matmul(q * at::logspace(0, -6, 20), q.t()));
  const auto [lambda, v] = at::linalg_eigh(at::matmul(task.a.t(), task.a));
  const at::Tensor s = lambda.clamp_min(1e-30).sqrt().flip(0), vs = v.flip(1);
  EXPECT_FALSE(task.judge(at::matmul(task.a, vs) / s, s, vs.t()).passed);
}

TEST(Svd, InputsCutToTf32Fail) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3, 2}, {64, 32}, {128, 128}}) {
    const SvdTask task(random(shape));
    const Judgement judgement = task.judge(at::linalg_svd(tf32(task.a), false));
    EXPECT_FALSE(judgement.passed) << shape;
  }
}

TEST(Svd, OneWrongMatrixOfABatchFails) {
  const SvdTask task(random({5, 12, 8}));
  const auto& [u, s, vh] = task.eager;
  at::Tensor wrong = vh.clone();
  wrong[4][7] = 0;
  EXPECT_FALSE(task.judge(u, s, wrong).passed);
}

TEST(Svd, LazyAnswersFail) {
  const SvdTask task(random({12, 8}));
  const auto& [u, s, vh] = task.eager;
  EXPECT_FALSE(task.judge(at::zeros_like(u), at::zeros_like(s), at::zeros_like(vh)).passed);
  EXPECT_FALSE(task.judge(at::ones_like(u), at::ones_like(s), at::ones_like(vh)).passed);
  EXPECT_FALSE(task.judge(u, at::full_like(s, s.mean().item<float>()), vh).passed);
  EXPECT_FALSE(task.judge(task.a, at::ones_like(s), at::eye(8)).passed);
  EXPECT_FALSE(task.judge(SvdTask(random({12, 8}, 9)).eager).passed);
}

TEST(Svd, NaNFails) {
  const SvdTask task(random({12, 8}));
  const auto& [u, s, vh] = task.eager;
  for (int output = 0; output < 3; ++output) {
    std::vector<at::Tensor> f{u.clone(), s.clone(), vh.clone()};
    f[output].select(0, 3).fill_(std::nanf(""));
    EXPECT_FALSE(task.judge(f[0], f[1], f[2]).passed) << output;
  }
}

TEST(Svd, ReducedShapesWhereFullOnesAreAskedForFail) {
  const SvdTask task(random({12, 8}), true);
  EXPECT_FALSE(task.judge(at::linalg_svd(task.a, false)).passed);
}

TEST(Svd, EmptyMatricesPass) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{0, 4}, {4, 0}, {0, 3, 3}}) {
    const SvdTask task(at::empty(shape), true);
    const Judgement judgement = task.judge(task.eager);
    EXPECT_TRUE(judgement.passed) << shape << detail(judgement);
  }
}

}  // namespace
}  // namespace kbx
