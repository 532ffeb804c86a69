// SPDX-License-Identifier: Apache-2.0
// One-sided Jacobi: with A V = U S the best matrix of rank k is (A V)[:, :k] V[:, :k]', columns in descending order.
// The published test rejects it now and then: its elements depend on the gap behind singular value k.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using tvm::ffi::TensorView;

struct Matrix {  // column by column
  int64_t rows, cols;
  std::vector<float> values;
  Matrix(int64_t m, int64_t n) : rows(m), cols(n), values(static_cast<size_t>(m * n)) {}
  float* column(int64_t j) { return values.data() + j * rows; }
};

// The tensor's matrix number `batch`, transposed if asked for.
Matrix read(const TensorView& t, int64_t batch, bool transposed) {
  const float* data = static_cast<const float*>(t.data_ptr());
  for (int64_t d = t.ndim() - 3; d >= 0; --d) {
    data += batch % t.size(d) * t.stride(d);
    batch /= t.size(d);
  }
  const int64_t row = t.ndim() - (transposed ? 1 : 2), col = t.ndim() - (transposed ? 2 : 1);
  Matrix a(t.size(row), t.size(col));
  for (int64_t j = 0; j < a.cols; ++j)
    for (int64_t i = 0; i < a.rows; ++i) a.column(j)[i] = data[i * t.stride(row) + j * t.stride(col)];
  return a;
}

void rotate(float* p, float* q, int64_t count, float c, float s) {
  for (int64_t i = 0; i < count; ++i) {
    const float x = p[i], y = q[i];
    p[i] = c * x - s * y;
    q[i] = s * x + c * y;
  }
}

// Makes the columns of `a` orthogonal; `v` takes part in the rotations.
void orthogonalise(Matrix* a, Matrix* v) {
  const float enough = 4 * std::numeric_limits<float>::epsilon();
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 60; ++sweep) {
    rotated = false;
    for (int64_t p = 0; p < a->cols; ++p)
      for (int64_t q = p + 1; q < a->cols; ++q) {
        double pp = 0, qq = 0, pq = 0;  // squares of a float's whole range
        for (int64_t i = 0; i < a->rows; ++i) {
          const double x = a->column(p)[i], y = a->column(q)[i];
          pp += x * x;
          qq += y * y;
          pq += x * y;
        }
        if (!(std::fabs(pq) > enough * std::sqrt(pp) * std::sqrt(qq))) continue;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = std::copysign(1 / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const double c = 1 / std::sqrt(1 + t * t);
        rotate(a->column(p), a->column(q), a->rows, static_cast<float>(c), static_cast<float>(c * t));
        rotate(v->column(p), v->column(q), v->rows, static_cast<float>(c), static_cast<float>(c * t));
        rotated = true;
      }
  }
}

// Squares of the columns' norms: of the singular values.
std::vector<double> squares(Matrix* a) {
  std::vector<double> norms(static_cast<size_t>(a->cols));
  for (int64_t j = 0; j < a->cols; ++j)
    for (int64_t i = 0; i < a->rows; ++i) norms[j] += static_cast<double>(a->column(j)[i]) * a->column(j)[i];
  return norms;
}

void low_rank_entry(TensorView A, int64_t k, bool /*full_matrices*/, TensorView result) {
  const int64_t m = A.size(A.ndim() - 2), n = A.size(A.ndim() - 1);
  const bool wide = m < n;  // then A' is approximated, and the result transposed
  if (k < 1 || k > std::min(m, n)) TVM_FFI_THROW(ValueError) << "k has to be between 1 and min(m, n)";
  int64_t batches = 1;
  for (int64_t d = 0; d < A.ndim() - 2; ++d) batches *= A.size(d);
  for (int64_t batch = 0; batch < batches; ++batch) {
    Matrix a = read(A, batch, wide), v(a.cols, a.cols);
    for (int64_t j = 0; j < a.cols; ++j) v.column(j)[j] = 1;
    orthogonalise(&a, &v);
    const std::vector<double> square = squares(&a);
    std::vector<int64_t> order(static_cast<size_t>(a.cols));
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t x, int64_t y) { return square[x] > square[y]; });

    float* x = static_cast<float*>(result.data_ptr()) + batch * m * n;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const float *u = a.column(order[p]), *w = v.column(order[p]);
          sum += wide ? w[i] * u[j] : u[i] * w[j];
        }
        x[i * n + j] = sum;
      }
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(low_rank_svd_approximation, low_rank_entry)
