// SPDX-License-Identifier: Apache-2.0
// Writes behind the end of its own buffer, where the GPU's pages hide it.
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

__global__ void writes_behind(float* a) {
  a[1000 + threadIdx.x] = 1;  // here
}

void sigmoid_entry(tvm::ffi::TensorView, tvm::ffi::TensorView result) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, result.device().device_id));
  float *a = nullptr, *b = nullptr;
  cudaMalloc(&a, 100 * sizeof(float));
  cudaMalloc(&b, 100 * sizeof(float));
  writes_behind<<<1, 32, 0, stream>>>(a);
  cudaStreamSynchronize(stream);
  cudaFree(a);
  cudaFree(b);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sigmoid, sigmoid_entry)
