// SPDX-License-Identifier: Apache-2.0
// Every wrong way to solve against every equation: each gets its own name, and an honest result none.
#include "diagnose/matrix_patterns.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>

namespace kbx {
namespace {

at::Tensor random(at::IntArrayRef shape, uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::kDouble);
}

std::string named(const std::optional<Diagnosis>& found) { return found ? found->pattern : ""; }

struct Wrong {
  const char* what;
  std::function<at::Tensor(const at::Tensor& a, const at::Tensor& b)> solve;
  const char* pattern;
};

at::Tensor lower(const at::Tensor& l, const at::Tensor& b) { return at::linalg_solve_triangular(l, b, false); }
at::Tensor upper(const at::Tensor& u, const at::Tensor& b) { return at::linalg_solve_triangular(u, b, true); }

std::vector<Wrong> wrong_solutions() {
  return {
      {"honest", [](auto& a, auto& b) { return at::linalg_solve(a, b); }, ""},
      {"P for P'",
       [](auto& a, auto& b) {
         const auto [p, l, u] = at::linalg_lu(a);
         return upper(u, lower(l, at::matmul(p, b)));
       },
       "permutation_transposed"},
      {"no P",
       [](auto& a, auto& b) {
         const auto [p, l, u] = at::linalg_lu(a);
         return upper(u, lower(l, b));
       },
       "permutation_ignored"},
      {"A' for A", [](auto& a, auto& b) { return at::linalg_solve(a.mT(), b); }, "matrix_transposed"},
      {"forward only",
       [](auto& a, auto& b) {
         const auto [p, l, u] = at::linalg_lu(a);
         return lower(l, at::matmul(p.mT(), b));
       },
       "half_solved"},
      {"Jacobi's first step", [](auto& a, auto& b) { return b / a.diagonal(0, -2, -1).unsqueeze(-1); }, "only_diagonal"},
      {"upper triangle", [](auto& a, auto& b) { return upper(a.triu(), b); }, "other_triangle"},
      {"doubled", [](auto& a, auto& b) { return 2 * at::linalg_solve(a, b); }, ""},
      {"noise", [](auto& a, auto& b) { return random(at::linalg_solve(a, b).sizes(), 99); }, ""},
      {"zero", [](auto& a, auto& b) { return at::zeros_like(at::linalg_solve(a, b)); }, ""},
  };
}

TEST(MatrixPatterns, EachWrongSolutionGetsItsOwnName) {
  for (uint64_t seed : {1, 5, 9})
    for (const Wrong& w : wrong_solutions()) {
      const at::Tensor a = random({2, 19, 19}, seed), b = random({2, 19, 3}, seed + 1),
                       one = at::eye(19, at::kDouble).expand_as(a);
      const at::Tensor x = w.solve(a, b).to(at::kFloat), inverse = w.solve(a, one).to(at::kFloat);
      EXPECT_EQ(named(diagnose_solution({Equation::square, a, b, false, x, at::linalg_solve(a, b)})), w.pattern) << w.what;
      EXPECT_EQ(named(diagnose_solution({Equation::inverse, a, {}, false, inverse, at::linalg_inv(a)})), w.pattern) << w.what;
    }
}

TEST(MatrixPatterns, AVectorForARightHandSide) {
  const at::Tensor a = random({44, 44}, 3), b = random({44}, 4);
  const auto [p, l, u] = at::linalg_lu(a);
  const at::Tensor x = upper(u, lower(l, at::matmul(p, b).unsqueeze(-1))).squeeze(-1);
  EXPECT_EQ(named(diagnose_solution({Equation::square, a, b, false, x.to(at::kFloat), at::linalg_solve(a, b)})),
            "permutation_transposed");
}

TEST(MatrixPatterns, CholeskyFactors) {
  const at::Tensor b = random({34, 9}, 2), l = random({34, 34}, 1).tril(-1) * 0.2 + at::eye(34, at::kDouble) * 1.5;
  const at::Tensor truth = at::linalg_solve(at::matmul(l, l.mT()), b), diagonal = l.diagonal().unsqueeze(-1);
  const auto name = [&](const at::Tensor& x, bool is_upper) {
    return named(diagnose_solution({Equation::cholesky, is_upper ? l.mT() : l, b, is_upper, x.to(at::kFloat), truth}));
  };
  for (const bool is_upper : {false, true}) {
    EXPECT_EQ(name(truth, is_upper), "");
    EXPECT_EQ(name(b / diagonal / diagonal, is_upper), "only_diagonal");
    EXPECT_EQ(name(lower(l, b), is_upper), "half_solved");
    EXPECT_EQ(name(lower(l, upper(l.mT(), b)), is_upper), "factors_exchanged");
    // The rows at the seams of blocks fit nothing.
    at::Tensor seams = b / diagonal / diagonal;
    for (const int row : {0, 1, 32, 33}) seams[row] = random({9}, 40 + row);
    EXPECT_EQ(name(seams, is_upper), "only_diagonal");
  }
}

TEST(MatrixPatterns, LeastSquares) {
  const at::Tensor a = random({44, 14}, 1), b = random({44, 2}, 2);
  const auto [q, r] = at::linalg_qr(a);
  const at::Tensor qtb = at::matmul(q.mT(), b), truth = upper(r, qtb);
  const auto name = [&](const at::Tensor& x) {
    return named(diagnose_solution({Equation::least_squares, a, b, false, x.to(at::kFloat), truth}));
  };
  EXPECT_EQ(name(truth), "");
  EXPECT_EQ(name(qtb / r.diagonal().unsqueeze(-1)), "only_diagonal");
  EXPECT_EQ(name(qtb), "half_solved");
  EXPECT_EQ(name(random({14, 2}, 5)), "");
}

TEST(MatrixPatterns, OnlyClearlyWrongElementsOfASolutionAreCalledWrong) {
  const at::Tensor a = random({19, 19}, 1) + 5 * at::eye(19, at::kDouble), b = random({19, 3}, 2), truth = at::linalg_solve(a, b);
  at::Tensor x = truth.to(at::kFloat);
  x[7][1] = 50;
  const at::Tensor wrong = wrong_elements({Equation::square, a, b, false, x, truth});
  ASSERT_TRUE(wrong.defined());
  EXPECT_EQ(wrong.sum().item<int64_t>(), 1);
  EXPECT_TRUE(wrong[7][1].item<bool>());
  const at::Tensor singular = at::ones({19, 19}, at::kDouble);
  EXPECT_FALSE(wrong_elements({Equation::square, singular, b, false, x, truth}).defined());
  EXPECT_EQ(named(diagnose_solution({Equation::square, singular, b, false, x, truth})), "");
}

TEST(MatrixPatterns, LuFactors) {
  const at::Tensor a = random({3, 9, 9}, 1);
  const auto [p, l, u] = at::linalg_lu(a);
  const at::Tensor one = at::eye(9, at::kDouble).expand_as(a);
  EXPECT_EQ(named(diagnose_lu(a, p, l, u)), "");
  EXPECT_EQ(named(diagnose_lu(a, p.mT(), l, u)), "permutation_transposed");
  EXPECT_EQ(named(diagnose_lu(a, p, at::matmul(p, l), u)), "permutation_ignored");
  EXPECT_EQ(named(diagnose_lu(a, p, l - one, u)), "unit_diagonal");
  EXPECT_EQ(named(diagnose_lu(a, p, l, random({3, 9, 9}, 2).triu())), "");
}

}  // namespace
}  // namespace kbx
