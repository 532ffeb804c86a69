// SPDX-License-Identifier: Apache-2.0
// The sum in two kernels and without atomics: the same bits on every call.
#include "loss.cuh"

namespace {

constexpr int kBlocks = 256;

__device__ double partial[kBlocks];

__device__ double sum_of_block(double own) {
  __shared__ double sums[kThreads];
  sums[threadIdx.x] = own;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];  // of use to thread 0 only
}

__global__ void sum_blocks(Losses losses) {
  double own = 0;
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < losses.count; i += int64_t{kThreads} * kBlocks)
    own += loss_at(losses, i);
  const double sum = sum_of_block(own);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void sum_partial(double divisor, float* out) {
  const double sum = sum_of_block(partial[threadIdx.x]);
  if (threadIdx.x == 0) *out = static_cast<float>(sum / divisor);
}

static_assert(kBlocks == kThreads, "sum_partial has one thread for each block of sum_blocks");

}  // namespace

void sum_losses(const Losses& losses, double divisor, float* out, cudaStream_t stream) {
  sum_blocks<<<kBlocks, kThreads, 0, stream>>>(losses);
  sum_partial<<<1, kThreads, 0, stream>>>(divisor, out);
}
