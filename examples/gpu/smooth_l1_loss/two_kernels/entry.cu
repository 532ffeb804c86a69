// SPDX-License-Identifier: Apache-2.0
// A candidate of several files: this one exports the function, sum.cu holds the reduction, loss.cuh what both need.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include "loss.cuh"

namespace {

__global__ void each_loss(Losses losses, float* out) {
  const int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (i < losses.count) out[i] = loss_at(losses, i);
}

View view_of(const tvm::ffi::TensorView& tensor) {
  if (tensor.ndim() > kMaxDims) TVM_FFI_THROW(ValueError) << "at most " << kMaxDims << " dimensions";
  View view;
  view.data = static_cast<const float*>(tensor.data_ptr());
  view.dims = tensor.ndim();
  for (int d = 0; d < view.dims; ++d) {
    view.sizes[d] = tensor.size(d);
    view.strides[d] = tensor.stride(d);
  }
  return view;
}

void smooth_l1_loss(tvm::ffi::TensorView input, tvm::ffi::TensorView target, double beta, tvm::ffi::String reduction,
                    tvm::ffi::TensorView result) {
  const Losses losses{view_of(input), view_of(target), input.numel(), static_cast<float>(beta)};
  float* out = static_cast<float*>(result.data_ptr());
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, result.device().device_id));
  if (reduction != "none")
    sum_losses(losses, reduction == "mean" ? static_cast<double>(losses.count) : 1.0, out, stream);
  else if (losses.count > 0)
    each_loss<<<static_cast<unsigned>((losses.count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(losses, out);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(smooth_l1_loss, smooth_l1_loss)
