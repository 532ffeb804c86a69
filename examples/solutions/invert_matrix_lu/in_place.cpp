// SPDX-License-Identifier: Apache-2.0
// L and U in float32 in place of each other, then L U X = P' for all columns of X at once.
// The published formula has P for its transpose, which is wrong for every exchange of three rows or more.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;

// Row-major a = P L U in place; x holds P' when it is done.
void factor(std::vector<float>* matrix, float* x, int64_t n, bool pivot) {
  float* a = matrix->data();
  std::fill_n(x, n * n, 0.0f);
  for (int64_t i = 0; i < n; ++i) x[i * n + i] = 1;
  for (int64_t c = 0; c < n; ++c) {
    int64_t best = c;
    for (int64_t i = c + 1; pivot && i < n; ++i)
      if (std::fabs(a[i * n + c]) > std::fabs(a[best * n + c])) best = i;
    if (a[best * n + c] == 0) TVM_FFI_THROW(ValueError) << "A is singular, or needs row exchanges";
    if (best != c) {
      std::swap_ranges(a + c * n, a + c * n + n, a + best * n);
      std::swap_ranges(x + c * n, x + c * n + n, x + best * n);
    }
    for (int64_t i = c + 1; i < n; ++i) {
      const float f = a[i * n + c] /= a[c * n + c];
      for (int64_t j = c + 1; j < n; ++j) a[i * n + j] -= f * a[c * n + j];
    }
  }
}

void invert_entry(TensorView A, bool pivot, TensorView result) {
  const int64_t dims = A.ndim(), n = A.size(dims - 1);
  if (A.size(dims - 2) != n) TVM_FFI_THROW(ValueError) << "A has to be square";
  int64_t batches = 1;
  for (int64_t d = 0; d < dims - 2; ++d) batches *= A.size(d);
  std::vector<float> a(static_cast<size_t>(n * n));
  for (int64_t batch = 0; batch < batches; ++batch) {
    const float* from = static_cast<const float*>(A.data_ptr());
    for (int64_t d = dims - 3, rest = batch; d >= 0; rest /= A.size(d--)) from += rest % A.size(d) * A.stride(d);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) a[i * n + j] = from[i * A.stride(dims - 2) + j * A.stride(dims - 1)];

    float* x = static_cast<float*>(result.data_ptr()) + batch * n * n;
    factor(&a, x, n, pivot);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t p = 0; p < i; ++p)
        for (int64_t c = 0; c < n; ++c) x[i * n + c] -= a[i * n + p] * x[p * n + c];
    for (int64_t i = n - 1; i >= 0; --i) {
      for (int64_t p = i + 1; p < n; ++p)
        for (int64_t c = 0; c < n; ++c) x[i * n + c] -= a[i * n + p] * x[p * n + c];
      for (int64_t c = 0; c < n; ++c) x[i * n + c] /= a[i * n + i];
    }
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(invert_matrix_lu, invert_entry)
