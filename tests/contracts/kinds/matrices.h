// SPDX-License-Identifier: Apache-2.0
// Matrices and honest float32 algorithms that share nothing with LAPACK, for tests of contracts about matrices.
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <utility>
#include <vector>

namespace kbx::testing {

inline at::Tensor random(at::IntArrayRef shape, uint64_t seed = 1) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

// X X' + I.
inline at::Tensor definite(int64_t n, uint64_t seed = 1) {
  const at::Tensor x = random({n, n}, seed).to(at::kDouble);
  return (at::matmul(x, x.t()) + at::eye(n, at::kDouble)).to(at::kFloat);
}

// The same, Hermitian.
inline at::Tensor complex_definite(int64_t n, uint64_t seed = 1) {
  const at::Tensor x = at::complex(random({n, n}, seed), random({n, n}, seed + 100)).to(at::kComplexDouble);
  return (at::matmul(x, x.mH()) + at::eye(n, at::kDouble)).to(at::kComplexFloat);
}

inline at::ScalarType wide_type(const at::Tensor& x) { return x.is_complex() ? at::kComplexDouble : at::kDouble; }

// ||a - product|| / ||a|| in float64.
inline double relative_residual(const at::Tensor& a, const at::Tensor& product) {
  return ((a.to(wide_type(a)) - product).norm() / a.to(wide_type(a)).norm()).item<double>();
}

// To the nearest with 11 significant bits.
inline at::Tensor tf32(const at::Tensor& x) {
  return x.contiguous().view(at::kInt).add(1 << 12).bitwise_and(~((1 << 13) - 1)).view(at::kFloat);
}

// Rows that make place for each other, by partial pivoting or not at all; column after column, right-looking.
struct Elimination {
  at::Tensor p, l, u;  // A = P L U
};
inline Elimination eliminate(const at::Tensor& matrix, bool pivot, bool cut_to_tf32 = false) {
  at::Tensor work = matrix.clone(), p = at::eye(matrix.size(0));
  const int64_t m = work.size(0), n = work.size(1), k = std::min(m, n);
  const auto cut = [&](const at::Tensor& x) { return cut_to_tf32 ? tf32(x) : x; };
  for (int64_t j = 0; j < k; ++j) {
    const int64_t best = pivot ? j + work.select(1, j).narrow(0, j, m - j).abs().argmax().item<int64_t>() : j;
    if (best != j) {
      at::Tensor order = at::arange(m);
      order[j] = best;
      order[best] = j;
      work = work.index_select(0, order);
      p = p.index_select(1, order);
    }
    if (work[j][j].item<float>() == 0 || j + 1 == m) continue;
    work.select(1, j).narrow(0, j + 1, m - j - 1).div_(work[j][j]);
    const at::Tensor multipliers = work.narrow(0, j + 1, m - j - 1).narrow(1, j, 1).contiguous();
    work.narrow(0, j + 1, m - j - 1)
        .narrow(1, j + 1, n - j - 1)
        .sub_(cut(multipliers) * cut(work.narrow(0, j, 1).narrow(1, j + 1, n - j - 1)));
  }
  return {p, work.narrow(1, 0, k).tril(-1) + at::eye(m, k), work.narrow(0, 0, k).triu()};
}

// X of A X = B by elimination of each column in all other rows.
inline at::Tensor gauss_jordan(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor work = at::cat({a, b}, 1);
  const int64_t n = a.size(0);
  for (int64_t j = 0; j < n; ++j) {
    const int64_t best = j + work.select(1, j).narrow(0, j, n - j).abs().argmax().item<int64_t>();
    const at::Tensor row = work[best] / work[best][j];
    if (best != j) work[best].copy_(work[j]);
    work[j].zero_();
    work = work - at::outer(work.select(1, j), row);
    work[j].copy_(row);
  }
  return work.narrow(1, n, b.size(1)).contiguous();
}

// Substitution column after column. `lower` as it stands; its diagonal counts.
inline at::Tensor substitute(const at::Tensor& lower, const at::Tensor& b) {
  at::Tensor x = b.clone();
  for (int64_t j = 0; j < lower.size(0); ++j) {
    x[j].div_(lower[j][j]);
    const int64_t rest = lower.size(0) - j - 1;
    x.narrow(0, j + 1, rest).sub_(at::outer(lower.select(1, j).narrow(0, j + 1, rest), x[j]));
  }
  return x;
}
inline at::Tensor substitute_back(const at::Tensor& upper, const at::Tensor& b) {
  return substitute(upper.flip({0, 1}), b.flip(0)).flip(0);
}

}  // namespace kbx::testing
