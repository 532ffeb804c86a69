// SPDX-License-Identifier: Apache-2.0
// Cooley-Tukey over the prime factors of each size, in double, one dimension after the other.
// The published test rejects it because it compares complex results bit for bit.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;
using Sizes = tvm::ffi::Optional<tvm::ffi::Shape>;
using Complex = std::complex<double>;

Complex times(Complex x, Complex y) {  // without the special cases of the standard's product
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

Complex load(const TensorView& t, int64_t offset) {
  const void* data = t.data_ptr();
  const auto [code, bits, lanes] = t.dtype();
  if (code == kDLComplex && bits == 128) return static_cast<const std::complex<double>*>(data)[offset];
  if (code == kDLComplex && bits == 64) return static_cast<const std::complex<float>*>(data)[offset];
  if (code == kDLFloat && bits == 64) return static_cast<const double*>(data)[offset];
  if (code == kDLFloat && bits == 32) return static_cast<const float*>(data)[offset];
  if (code == kDLInt && bits == 64) return static_cast<double>(static_cast<const int64_t*>(data)[offset]);
  TVM_FFI_THROW(TypeError) << "this type has no transform here";
  return 0;
}

class Line {  // transforms of one size
 public:
  explicit Line(int64_t n) : size_(n) {
    const double turn = -2 * std::acos(-1.0) / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) roots_.push_back(std::polar(1.0, turn * static_cast<double>(i)));
  }

  // out[k] = sum over j < n of in[j * step] * root^(j k); n divides the size
  void transform(const Complex* in, int64_t step, Complex* out, int64_t n) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    int64_t prime = 2;
    while (n % prime != 0) prime = prime * prime < n ? prime + 1 : n;
    const int64_t part = n / prime, root = size_ / n;
    for (int64_t r = 0; r < prime; ++r) transform(in + r * step, step * prime, out + r * part, part);
    std::vector<Complex> terms(static_cast<size_t>(prime));
    for (int64_t k = 0; k < part; ++k) {
      for (int64_t r = 0; r < prime; ++r) terms[r] = times(out[r * part + k], roots_[r * k * root]);
      for (int64_t q = 0; q < prime; ++q) {
        Complex sum = terms[0];
        for (int64_t r = 1; r < prime; ++r) sum += times(terms[r], roots_[r * q % prime * part * root]);
        out[q * part + k] = sum;
      }
    }
  }

 private:
  int64_t size_;
  std::vector<Complex> roots_;
};

// The dimensions to transform, not negative: `dim`, the last ones that `s` speaks of, or all.
std::vector<int64_t> dimensions(int64_t count, const Sizes& s, const Sizes& dim) {
  std::vector<int64_t> dims;
  if (dim.has_value()) {
    if (s.has_value() && s.value().size() != dim.value().size()) TVM_FFI_THROW(ValueError) << "s and dim differ in length";
    for (const int64_t d : dim.value()) {
      if (d < -count || d >= count) TVM_FFI_THROW(IndexError) << "dimension out of range";
      dims.push_back(d < 0 ? d + count : d);
      if (std::count(dims.begin(), dims.end(), dims.back()) > 1) TVM_FFI_THROW(ValueError) << "a dimension twice";
    }
    return dims;
  }
  const int64_t used = s.has_value() ? static_cast<int64_t>(s.value().size()) : count;
  if (used > count) TVM_FFI_THROW(ValueError) << "s is longer than the shape";
  for (int64_t d = count - used; d < count; ++d) dims.push_back(d);
  return dims;
}

void fftn_entry(TensorView input, Sizes s, Sizes dim, tvm::ffi::Optional<tvm::ffi::String> norm, TensorView result) {
  const int64_t count = input.ndim();
  const std::vector<int64_t> dims = dimensions(count, s, dim);
  std::vector<int64_t> shape, strides(static_cast<size_t>(count), 1);
  for (int64_t d = 0; d < count; ++d) shape.push_back(input.size(d));
  double points = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (s.has_value() && s.value()[i] != -1) shape[dims[i]] = s.value()[i];
    if (shape[dims[i]] < 1) TVM_FFI_THROW(ValueError) << "a size below 1";
    points *= static_cast<double>(shape[dims[i]]);
  }
  double factor = 1;
  if (norm.has_value() && norm.value() == "ortho")
    factor = 1 / std::sqrt(points);
  else if (norm.has_value() && norm.value() == "forward")
    factor = 1 / points;
  else if (norm.has_value() && norm.value() != "backward")
    TVM_FFI_THROW(ValueError) << "unknown norm";

  int64_t total = 1;
  for (int64_t d = count - 1; d >= 0; --d) {
    strides[d] = total;
    total *= shape[d];
  }
  std::vector<Complex> y(static_cast<size_t>(total));
  for (int64_t i = 0; i < total; ++i) {
    int64_t offset = 0;
    bool inside = true;
    for (int64_t d = 0; d < count; ++d) {
      const int64_t at = i / strides[d] % shape[d];
      inside = inside && at < input.size(d);
      offset += at * input.stride(d);
    }
    if (inside) y[i] = load(input, offset);
  }

  for (const int64_t d : dims) {
    const int64_t n = shape[d], stride = strides[d];
    const Line line(n);
    std::vector<Complex> out(static_cast<size_t>(n));
    for (int64_t start = 0; start < total; ++start) {
      if (start / stride % n != 0) continue;
      line.transform(&y[start], stride, out.data(), n);
      for (int64_t k = 0; k < n; ++k) y[start + k * stride] = out[k];
    }
  }

  for (int64_t i = 0; i < total; ++i) {
    const Complex value = y[i] * factor;
    if (result.dtype().bits == 128)
      static_cast<std::complex<double>*>(result.data_ptr())[i] = value;
    else
      static_cast<std::complex<float>*>(result.data_ptr())[i] = std::complex<float>(value);
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fftn, fftn_entry)
