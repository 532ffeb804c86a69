// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/eig.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/kinds/matrix_rules.h"

namespace kbx {
namespace {

constexpr double kGrowth = 10;  // of u (1 + sqrt(n)). Measured: see the tests

at::Tensor column_norms(const at::Tensor& matrix) { return at::linalg_vector_norm(matrix, 2, at::IntArrayRef{-2}); }

// The largest singular value over the smallest.
at::Tensor condition(const at::Tensor& matrix) {
  const at::Tensor s = at::linalg_svdvals(matrix);
  return s.select(-1, 0) / s.select(-1, -1);
}

// Which rows find no partner when as many as possible are paired with columns, each of them once, where `allowed` is true
// (augmenting paths; n x n).
std::vector<bool> unpaired(const bool* allowed, int64_t n) {
  std::vector<int64_t> row_of(n, -1);
  std::vector<bool> without(n), seen;
  const std::function<bool(int64_t)> place = [&](int64_t row) {
    for (int64_t column = 0; column < n; ++column) {
      if (!allowed[row * n + column] || seen[column]) continue;
      seen[column] = true;
      if (row_of[column] >= 0 && !place(row_of[column])) continue;
      row_of[column] = row;
      return true;
    }
    return false;
  };
  for (int64_t row = 0; row < n; ++row) {
    seen.assign(n, false);
    without[row] = !place(row);
  }
  return without;
}

// Where a delivered eigenvalue has no partner of its own among the exact ones within the radius of its matrix.
at::Tensor without_partner(const at::Tensor& delivered, const at::Tensor& exact, const at::Tensor& radius) {
  const int64_t n = delivered.size(-1);
  const at::Tensor near = (delivered.unsqueeze(-1) - exact.unsqueeze(-2)).abs().le(radius.unsqueeze(-1).unsqueeze(-1));
  const at::Tensor allowed = near.cpu().contiguous();
  at::Tensor wrong = at::zeros(delivered.sizes(), allowed.options());
  for (int64_t i = 0; i < wrong.numel() / n; ++i) {
    const std::vector<bool> without = unpaired(allowed.const_data_ptr<bool>() + i * n * n, n);
    std::copy(without.begin(), without.end(), wrong.mutable_data_ptr<bool>() + i * n);
  }
  return wrong.to(delivered.device());
}

}  // namespace

Judgement judge_eig(const Call& call, const Expected& expected, const Delivery& delivery) {
  KBX_CHECK_EQ(expected.outputs.size(), 2u);
  const Truth &truth_w = expected.outputs[0], &truth_v = expected.outputs[1];
  const at::Tensor a = first_matrix(call).to(at::kComplexDouble);
  const double roundoff = working_roundoff(c10::toRealValueType(truth_v.dtype));
  const double p = kGrowth * roundoff * (1 + std::sqrt(static_cast<double>(a.size(-1))));
  MatrixJudgement judgement("decomposition:eig", truth_v.dtype, p);
  if (!judgement.well_formed(expected, delivery) || a.numel() == 0) return judgement.result();
  const at::Tensor w = widened(delivery[0].value), v = widened(delivery[1].value);
  const at::Tensor size = frobenius(a), kappa = condition(widened(truth_v.value));

  judgement.require(truth_v, worst((column_norms(v) - 1).abs(), at::full_like(column_norms(v), p)),
                    "distance of the eigenvectors' lengths from one");
  const Quantity product = worst(column_norms(at::matmul(a, v) - v * w.unsqueeze(-2)), p * size.unsqueeze(-1));
  std::string what = "||A v - w v||";
  const at::Tensor rows = v.mT();
  if (!product.holds() && worst(column_norms(at::matmul(a, rows) - rows * w.unsqueeze(-2)), p * size.unsqueeze(-1)).holds())
    what += " (the eigenvectors are the rows of V, where they are to be its columns)";
  judgement.require(truth_v, product, what);
  judgement.require_none(truth_w, w, without_partner(w, widened(truth_w.value), p * kappa * size),
                         "no eigenvalues, or returned more often than they occur");
  judgement.require(truth_v, worst(condition(v), kappa / std::sqrt(roundoff)),
                    "condition of V, whose columns have to be independent");
  return judgement.result();
}

}  // namespace kbx
