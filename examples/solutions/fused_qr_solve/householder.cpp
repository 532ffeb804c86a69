// SPDX-License-Identifier: Apache-2.0
// Householder reflections in float32 that are applied to A and to b as they arise: Q is never formed.
// The published test compares solutions, which for an ill-conditioned A are decided by rounding.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;

float dot(const float* x, const float* y, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

void qr_solve_entry(TensorView A, TensorView b, TensorView result) {
  const int64_t m = A.size(0), n = A.size(1), k = b.size(1);
  if (m < n || b.size(0) != m) TVM_FFI_THROW(ValueError) << "A has to be [m, n] with m >= n, and b [m, k]";
  std::vector<float> columns(static_cast<size_t>(m * (n + k)));  // [A | b], column by column
  for (int64_t j = 0; j < n + k; ++j) {
    const TensorView& t = j < n ? A : b;
    const float* from = static_cast<const float*>(t.data_ptr()) + (j < n ? j : j - n) * t.stride(1);
    for (int64_t i = 0; i < m; ++i) columns[j * m + i] = from[i * t.stride(0)];
  }

  std::vector<float> diagonal(static_cast<size_t>(n));
  for (int64_t c = 0; c < n; ++c) {
    float* v = &columns[c * m + c];
    const int64_t rows = m - c;
    float largest = 0;  // keeps squares within range
    for (int64_t i = 0; i < rows; ++i) largest = std::fmax(largest, std::fabs(v[i]));
    if (largest == 0) TVM_FFI_THROW(ValueError) << "A has not full rank";
    for (int64_t i = 0; i < rows; ++i) v[i] /= largest;
    const float norm = std::sqrt(dot(v, v, rows)), alpha = v[0] > 0 ? -norm : norm;
    v[0] -= alpha;
    diagonal[c] = alpha * largest;
    const float scale = 2 / dot(v, v, rows);
    for (int64_t j = c + 1; j < n + k; ++j) {
      float* column = &columns[j * m + c];
      const float f = scale * dot(v, column, rows);
      for (int64_t i = 0; i < rows; ++i) column[i] -= f * v[i];
    }
  }

  float* x = static_cast<float*>(result.data_ptr());
  for (int64_t c = 0; c < k; ++c)
    for (int64_t i = n - 1; i >= 0; --i) {
      float sum = columns[(n + c) * m + i];
      for (int64_t j = i + 1; j < n; ++j) sum -= columns[j * m + i] * x[j * k + c];
      x[i * k + c] = sum / diagonal[i];
    }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_qr_solve, qr_solve_entry)
