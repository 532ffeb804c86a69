// SPDX-License-Identifier: Apache-2.0
// Wrong only at odd sizes: eight elements a step, and nobody does the rest where the size is no multiple of eight.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>

namespace {

// Where the i-th element in row-major order lies.
int64_t offset_of(const tvm::ffi::TensorView& t, int64_t i) {
  int64_t offset = 0;
  for (int64_t d = t.ndim() - 1; d >= 0; --d) {
    offset += (i % t.size(d)) * t.stride(d);
    i /= t.size(d);
  }
  return offset;
}

void log1p_by_eights(tvm::ffi::TensorView input, tvm::ffi::TensorView result) {
  const float* x = static_cast<const float*>(input.data_ptr());
  float* y = static_cast<float*>(result.data_ptr());
  for (int64_t i = 0; i + 8 <= input.numel(); i += 8)
    for (int64_t lane = i; lane < i + 8; ++lane) y[lane] = std::log1p(x[offset_of(input, lane)]);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(log1p, log1p_by_eights);
