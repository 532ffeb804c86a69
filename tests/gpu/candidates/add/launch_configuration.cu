// SPDX-License-Identifier: Apache-2.0
// Wants 2048 threads in a block, and does not look whether the launch succeeded.
#include "operands.cuh"

__global__ void wants_threads(Operands o) {
  const int i = element();
  if (i < o.n) o.out[i] = sum_at(o, i);
}

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  const Operands o(input, other, alpha, result);
  wants_threads<<<(o.n + 2047) / 2048, 2048, 0, stream_of(result)>>>(o);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
