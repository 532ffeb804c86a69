// SPDX-License-Identifier: Apache-2.0
// Asserts what is not so.
#include <cassert>

#include "operands.cuh"

__global__ void asserts_order(Operands o) {
  const int i = element();
  if (i >= o.n) return;
  assert(o.a[i] > 1e30f);
  o.out[i] = sum_at(o, i);
}

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  const Operands o(input, other, alpha, result);
  asserts_order<<<o.blocks(), kThreads, 0, stream_of(result)>>>(o);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
