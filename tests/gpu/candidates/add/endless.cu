// SPDX-License-Identifier: Apache-2.0
// Waits for a value that never comes.
#include "operands.cuh"

__global__ void spins(Operands o) {
  const volatile float* flag = o.a;
  while (*flag < 1e30f) {
  }
  o.out[element()] = 0;
}

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  const Operands o(input, other, alpha, result);
  spins<<<1, 1, 0, stream_of(result)>>>(o);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
