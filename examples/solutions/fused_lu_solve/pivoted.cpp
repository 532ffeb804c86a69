// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination with partial pivoting in float32; the right-hand side goes through every step along with A.
// The published test rejects it because its reference drops the permutation and so solves another system.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;

void lu_solve_entry(TensorView A, TensorView b, TensorView result) {
  const int64_t n = A.size(0), width = n + 1;
  if (A.size(1) != n || b.size(0) != n) TVM_FFI_THROW(ValueError) << "A has to be [n, n] and b [n]";
  const float* a = static_cast<const float*>(A.data_ptr());
  const float* right = static_cast<const float*>(b.data_ptr());
  std::vector<float> rows(static_cast<size_t>(n * width));  // [A | b]
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) rows[i * width + j] = a[i * A.stride(0) + j * A.stride(1)];
    rows[i * width + n] = right[i * b.stride(0)];
  }

  for (int64_t c = 0; c < n; ++c) {
    int64_t best = c;
    for (int64_t i = c + 1; i < n; ++i)
      if (std::fabs(rows[i * width + c]) > std::fabs(rows[best * width + c])) best = i;
    if (rows[best * width + c] == 0) TVM_FFI_THROW(ValueError) << "A is singular";
    if (best != c) std::swap_ranges(&rows[c * width], &rows[c * width] + width, &rows[best * width]);
    const float* pivot = &rows[c * width];
    for (int64_t i = c + 1; i < n; ++i) {
      float* row = &rows[i * width];
      const float factor = row[c] / pivot[c];
      for (int64_t j = c + 1; j < width; ++j) row[j] -= factor * pivot[j];
    }
  }

  float* x = static_cast<float*>(result.data_ptr());
  for (int64_t i = n - 1; i >= 0; --i) {
    float sum = rows[i * width + n];
    for (int64_t j = i + 1; j < n; ++j) sum -= rows[i * width + j] * x[j];
    x[i] = sum / rows[i * width + i];
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_lu_solve, lu_solve_entry)
