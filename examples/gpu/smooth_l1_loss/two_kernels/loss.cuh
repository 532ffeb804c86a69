// SPDX-License-Identifier: Apache-2.0
// What both sources share. Device functions belong into a header: each source is compiled for the device on its own.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

constexpr int kMaxDims = 8, kThreads = 256;

struct View {
  const float* data = nullptr;
  int dims = 0;
  int64_t sizes[kMaxDims] = {}, strides[kMaxDims] = {};
};

struct Losses {
  View input, target;
  int64_t count = 0;
  float beta = 1;
};

// The element that comes as number `at` in row-major order.
__device__ inline float element(const View& view, int64_t at) {
  int64_t offset = 0;
  for (int d = view.dims; d-- > 0;) {
    offset += at % view.sizes[d] * view.strides[d];
    at /= view.sizes[d];
  }
  return view.data[offset];
}

__device__ inline float loss_at(const Losses& losses, int64_t at) {
  const float d = fabsf(element(losses.input, at) - element(losses.target, at));
  return d < losses.beta ? 0.5f * d * d / losses.beta : d - 0.5f * losses.beta;
}

// Writes the sum of all losses, divided by `divisor`.
void sum_losses(const Losses& losses, double divisor, float* out, cudaStream_t stream);
