// SPDX-License-Identifier: Apache-2.0
// Never returns: the loop forgets to move on where the mask is false.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cstdint>

namespace {

int64_t masked_select(tvm::ffi::TensorView input, tvm::ffi::TensorView mask, tvm::ffi::TensorView result) {
  const float* x = static_cast<const float*>(input.data_ptr());
  const volatile bool* keep = static_cast<const bool*>(mask.data_ptr());
  float* y = static_cast<float*>(result.data_ptr());
  int64_t count = 0;
  for (int64_t i = 0; i < input.numel();)
    if (keep[i]) y[count++] = x[i++];
  return count;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(masked_select, masked_select);
