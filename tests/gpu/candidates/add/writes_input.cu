// SPDX-License-Identifier: Apache-2.0
// Right, but leaves its first operand scaled.
#include "operands.cuh"

__global__ void scales_input(Operands o) {
  const int i = element();
  if (i >= o.n) return;
  o.out[i] = sum_at(o, i);
  o.a[i] *= 2;
}

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  const Operands o(input, other, alpha, result);
  scales_input<<<o.blocks(), kThreads, 0, stream_of(result)>>>(o);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
