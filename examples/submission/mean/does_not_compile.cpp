// SPDX-License-Identifier: Apache-2.0
// Does not compile: a type that does not exist.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace {

void mean(tvm::ffi::TensorView input_tensor, tvm::ffi::Tensr result) {}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(mean, mean);
