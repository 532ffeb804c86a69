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
void step_in(TensorView param, TensorView grad, TensorView exp_avg, TensorView exp_avg_sq, int64_t step, double lr, double beta1,
             double beta2, double eps, double weight_decay) {
  const Real keep1 = static_cast<Real>(beta1), keep2 = static_cast<Real>(beta2);
  const Real blend1 = static_cast<Real>(1 - beta1), blend2 = static_cast<Real>(1 - beta2);
  const Real shrink = static_cast<Real>(1 - lr * weight_decay);
  const Real rate = static_cast<Real>(lr / (1 - std::pow(beta1, step)));
  const Real correction = static_cast<Real>(1 - std::pow(beta2, step));
  for (int64_t i = 0; i < param.numel(); ++i) {
    Real &p = element<Real>(param, i), &first = element<Real>(exp_avg, i), &second = element<Real>(exp_avg_sq, i);
    const Real g = element<Real>(grad, i);
    first = keep1 * first + blend1 * g;
    second = keep2 * second + blend2 * g * g;
    p = shrink * p - rate * first / (std::sqrt(second / correction) + static_cast<Real>(eps));
  }
}

void adamw_step_entry(TensorView param, TensorView grad, TensorView exp_avg, TensorView exp_avg_sq, int64_t step, double lr,
                      double beta1, double beta2, double eps, double weight_decay) {
  const auto dtype = param.dtype();
  if (dtype.code != kDLFloat || (dtype.bits != 32 && dtype.bits != 64)) TVM_FFI_THROW(TypeError) << "float32 or float64";
  if (dtype.bits == 64)
    step_in<double>(param, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay);
  else
    step_in<float>(param, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(adamw_step, adamw_step_entry)
