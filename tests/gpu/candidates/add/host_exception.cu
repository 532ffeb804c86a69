// SPDX-License-Identifier: Apache-2.0
// Raises in its host code.
#include "operands.cuh"

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  TVM_FFI_THROW(ValueError) << "no kernel for " << result.ndim() << " dimensions";
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
