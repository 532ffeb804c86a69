// SPDX-License-Identifier: Apache-2.0
// Asks for more shared memory than an SM has, and does not look whether the launch succeeded.
#include "operands.cuh"

__global__ void wants_shared(Operands o) {
  extern __shared__ float block[];
  const int i = element();
  if (i >= o.n) return;
  block[threadIdx.x] = o.a[i];
  o.out[i] = block[threadIdx.x] + o.alpha * o.b[i];
}

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  const Operands o(input, other, alpha, result);
  wants_shared<<<o.blocks(), kThreads, 512 << 10, stream_of(result)>>>(o);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
