// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisation row by row in the matrix's own type, real or complex.
// The published test rejects it for complex matrices because it compares complex results bit for bit.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cmath>
#include <complex>
#include <cstdint>

namespace {

using tvm::ffi::TensorView;

float conjugate(float x) { return x; }
double conjugate(double x) { return x; }
template <class Real>
std::complex<Real> conjugate(std::complex<Real> x) {
  return std::conj(x);
}

template <class T>
void factor(const TensorView& A, bool upper, const TensorView& result) {
  const int64_t dims = A.ndim(), n = A.size(dims - 1), matrices = n == 0 ? 0 : A.numel() / (n * n);
  for (int64_t batch = 0; batch < matrices; ++batch) {
    const T* a = static_cast<const T*>(A.data_ptr());
    for (int64_t d = dims - 3, rest = batch; d >= 0; rest /= A.size(d--)) a += rest % A.size(d) * A.stride(d);
    T* out = static_cast<T*>(result.data_ptr()) + batch * n * n;
    // L[i, j], or with `upper` the element of U = L^H that holds its conjugate
    const auto at = [&](int64_t i, int64_t j) -> T& { return upper ? out[j * n + i] : out[i * n + j]; };
    const auto l = [&](int64_t i, int64_t j) { return upper ? conjugate(at(i, j)) : at(i, j); };
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) at(i, j) = 0;
      for (int64_t j = 0; j <= i; ++j) {
        T sum = a[i * A.stride(dims - 2) + j * A.stride(dims - 1)];
        for (int64_t k = 0; k < j; ++k) sum -= l(i, k) * conjugate(l(j, k));
        if (i == j && !(std::real(sum) > 0)) TVM_FFI_THROW(ValueError) << "A is not positive definite";
        const T value = i == j ? T(std::sqrt(std::real(sum))) : T(sum / std::real(l(j, j)));
        at(i, j) = upper ? conjugate(value) : value;
      }
    }
  }
}

void cholesky_entry(TensorView A, bool upper, TensorView result) {
  if (A.ndim() < 2 || A.size(A.ndim() - 1) != A.size(A.ndim() - 2)) TVM_FFI_THROW(ValueError) << "A has to be square";
  const auto dtype = A.dtype();
  if (dtype.code == kDLFloat && dtype.bits == 32)
    factor<float>(A, upper, result);
  else if (dtype.code == kDLFloat && dtype.bits == 64)
    factor<double>(A, upper, result);
  else if (dtype.code == kDLComplex && dtype.bits == 64)
    factor<std::complex<float>>(A, upper, result);
  else if (dtype.code == kDLComplex && dtype.bits == 128)
    factor<std::complex<double>>(A, upper, result);
  else
    TVM_FFI_THROW(TypeError) << "A has to be real or complex, in single or double precision";
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(cholesky, cholesky_entry)
