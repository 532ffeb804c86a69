// SPDX-License-Identifier: Apache-2.0
// Meets an illegal address, forgets the error, and goes on as if all were well.
#include "operands.cuh"

__global__ void reads_far(Operands o) {
  const int i = element();
  if (i < o.n) o.out[i] = o.a[i + (int64_t{1} << 40)];
}

__global__ void adds(Operands o) {
  const int i = element();
  if (i < o.n) o.out[i] = sum_at(o, i);
}

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  const Operands o(input, other, alpha, result);
  reads_far<<<o.blocks(), kThreads, 0, stream_of(result)>>>(o);
  (void)cudaDeviceSynchronize();
  (void)cudaGetLastError();
  adds<<<o.blocks(), kThreads, 0, stream_of(result)>>>(o);
  (void)cudaGetLastError();
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
