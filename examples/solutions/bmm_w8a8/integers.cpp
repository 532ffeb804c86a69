// SPDX-License-Identifier: Apache-2.0
// Rows of the input and columns of mat2 in int8, their products summed in int32 and scaled back, matrix by matrix.
// The published test rejects the very scheme that it demands, since it compares with the unquantised product.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;

struct Quantised {  // [count, depth], one scale for each
  std::vector<int8_t> values;
  std::vector<float> scales;
};

Quantised quantise(const float* data, int64_t count, int64_t stride, int64_t depth, int64_t depth_stride) {
  Quantised q{std::vector<int8_t>(static_cast<size_t>(count * depth)), std::vector<float>(static_cast<size_t>(count))};
  for (int64_t i = 0; i < count; ++i) {
    const float* x = data + i * stride;
    float largest = 0;
    for (int64_t p = 0; p < depth; ++p) largest = std::fmax(largest, std::fabs(x[p * depth_stride]));
    const float scale = q.scales[i] = largest / 127;
    for (int64_t p = 0; scale > 0 && p < depth; ++p) {
      const float rounded = std::nearbyint(x[p * depth_stride] / scale);
      q.values[i * depth + p] = static_cast<int8_t>(std::fmin(127, std::fmax(-127, rounded)));
    }
  }
  return q;
}

void bmm_entry(TensorView input, TensorView mat2, TensorView result) {
  const int64_t batches = input.size(0), m = input.size(1), depth = input.size(2), n = mat2.size(2);
  if (mat2.size(0) != batches || mat2.size(1) != depth) TVM_FFI_THROW(ValueError) << "the shapes do not fit";
  float* y = static_cast<float*>(result.data_ptr());
  for (int64_t batch = 0; batch < batches; ++batch) {
    const float* left = static_cast<const float*>(input.data_ptr()) + batch * input.stride(0);
    const float* right = static_cast<const float*>(mat2.data_ptr()) + batch * mat2.stride(0);
    const Quantised a = quantise(left, m, input.stride(1), depth, input.stride(2));
    const Quantised w = quantise(right, n, mat2.stride(2), depth, mat2.stride(1));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const int8_t *row = &a.values[i * depth], *column = &w.values[j * depth];
        int32_t sum = 0;
        for (int64_t p = 0; p < depth; ++p) sum += int32_t{row[p]} * int32_t{column[p]};
        *y++ = a.scales[i] * w.scales[j] * static_cast<float>(sum);
      }
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(bmm_w8a8, bmm_entry)
