// SPDX-License-Identifier: Apache-2.0
// Takes all memory of the GPU, and then wants more.
#include "operands.cuh"

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  for (size_t bytes = size_t{1} << 32; bytes >= 1 << 20; bytes /= 2)
    for (void* kept = nullptr; cudaMalloc(&kept, bytes) == cudaSuccess;) {
    }
  void* more = nullptr;
  const cudaError_t error = cudaMalloc(&more, size_t{1} << 32);
  TVM_FFI_THROW(RuntimeError) << "cudaMalloc: " << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
