// SPDX-License-Identifier: Apache-2.0
// What every candidate here starts from: the operands of a call whose tensors are contiguous float32 of one shape.
#pragma once

#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstdint>

constexpr int kThreads = 256;

struct Operands {
  float *a, *b;
  float alpha;
  float* out;
  int n;

  Operands(const tvm::ffi::TensorView& input, const tvm::ffi::TensorView& other, double factor,
           const tvm::ffi::TensorView& result)
      : a(static_cast<float*>(input.data_ptr())),
        b(static_cast<float*>(other.data_ptr())),
        alpha(static_cast<float>(factor)),
        out(static_cast<float*>(result.data_ptr())),
        n(static_cast<int>(result.numel())) {}
  int blocks() const { return (n + kThreads - 1) / kThreads; }
};

inline cudaStream_t stream_of(const tvm::ffi::TensorView& tensor) {
  return static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, tensor.device().device_id));
}

__device__ inline int element() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__device__ inline float sum_at(const Operands& o, int i) { return o.a[i] + o.alpha * o.b[i]; }
