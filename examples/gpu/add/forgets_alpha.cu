// SPDX-License-Identifier: Apache-2.0
// As grid_stride.cu, but float32 forgets alpha.
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cstdint>

namespace {

constexpr int kMaxDims = 8, kThreads = 256;

struct Layout {
  int dims = 0;
  int64_t sizes[kMaxDims] = {}, a[kMaxDims] = {}, b[kMaxDims] = {};
};

// An operand's element as T. The type is the same for all threads, so the branch costs little beside the load.
template <typename T>
__device__ T load(const void* data, DLDataType type, int64_t at) {
  if (type.code == kDLFloat)
    return type.bits == 32 ? static_cast<T>(static_cast<const float*>(data)[at])
                           : static_cast<T>(static_cast<const double*>(data)[at]);
  return type.bits == 32 ? static_cast<T>(static_cast<const int32_t*>(data)[at])
                         : static_cast<T>(static_cast<const int64_t*>(data)[at]);
}

template <typename T>
__global__ void add(const void* a, DLDataType a_type, const void* b, DLDataType b_type, T alpha, T* out, int64_t n,
                    Layout layout) {
  for (int64_t i = blockIdx.x * int64_t{kThreads} + threadIdx.x; i < n; i += int64_t{kThreads} * gridDim.x) {
    int64_t rest = i, at_a = 0, at_b = 0;
    for (int d = layout.dims; d-- > 0;) {
      const int64_t index = rest % layout.sizes[d];
      rest /= layout.sizes[d];
      at_a += index * layout.a[d];
      at_b += index * layout.b[d];
    }
    out[i] = load<T>(a, a_type, at_a) + alpha * load<T>(b, b_type, at_b);
  }
}

// Stride of `t` along dimension d of a result with `dims` dimensions; 0 where it is broadcast.
int64_t stride_in(const tvm::ffi::TensorView& t, int d, int dims) {
  const int own = d - (dims - t.ndim());
  return own < 0 || t.shape()[own] == 1 ? 0 : t.strides()[own];
}

template <typename T>
void launch(const tvm::ffi::TensorView& a, const tvm::ffi::TensorView& b, double alpha, const tvm::ffi::TensorView& out) {
  Layout layout;
  layout.dims = out.ndim();
  int64_t n = 1;
  for (int d = 0; d < layout.dims; ++d) {
    layout.sizes[d] = out.shape()[d];
    layout.a[d] = stride_in(a, d, layout.dims);
    layout.b[d] = stride_in(b, d, layout.dims);
    n *= layout.sizes[d];
  }
  if (n == 0) return;
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, out.device().device_id));
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads, 132 * 8);
  add<T><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      a.data_ptr(), a.dtype(), b.data_ptr(), b.dtype(), static_cast<T>(alpha), static_cast<T*>(out.data_ptr()), n, layout);
}

}  // namespace

void add_entry(tvm::ffi::TensorView input, tvm::ffi::TensorView other, double alpha, tvm::ffi::TensorView result) {
  if (result.ndim() > kMaxDims) TVM_FFI_THROW(ValueError) << "at most " << kMaxDims << " dimensions";
  const DLDataType type = result.dtype();
  if (type.code == kDLFloat && type.bits == 32) return launch<float>(input, other, 1.0, result);
  if (type.code == kDLFloat && type.bits == 64) return launch<double>(input, other, alpha, result);
  if (type.code == kDLInt && type.bits == 32) return launch<int32_t>(input, other, alpha, result);
  if (type.code == kDLInt && type.bits == 64) return launch<int64_t>(input, other, alpha, result);
  TVM_FFI_THROW(TypeError) << "unsupported element type";
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, add_entry)
