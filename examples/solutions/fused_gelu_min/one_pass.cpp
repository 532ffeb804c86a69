// SPDX-License-Identifier: Apache-2.0
// GELU in double, reduced as it is computed: the activations are never stored.
// The published test rejects it because its reference forgets the "1 +" of the exact form.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstdint>

namespace {

using tvm::ffi::TensorView;

double read(const TensorView& t, int64_t at) {
  switch (t.dtype().bits) {
    case 16:
      return static_cast<const _Float16*>(t.data_ptr())[at];
    case 32:
      return static_cast<const float*>(t.data_ptr())[at];
    default:
      return static_cast<const double*>(t.data_ptr())[at];
  }
}

void write(const TensorView& t, int64_t at, double value) {
  switch (t.dtype().bits) {
    case 16:
      static_cast<_Float16*>(t.data_ptr())[at] = static_cast<_Float16>(value);
      break;
    case 32:
      static_cast<float*>(t.data_ptr())[at] = static_cast<float>(value);
      break;
    default:
      static_cast<double*>(t.data_ptr())[at] = value;
  }
}

double gelu(double x, bool by_tanh) {
  if (by_tanh) return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  return x / 2 * std::erfc(-x / std::sqrt(2.0));  // 1 + erf(y) = erfc(-y), which does not cancel
}

void gelu_min_entry(TensorView input, tvm::ffi::String approximate, tvm::ffi::Optional<int64_t> dim, bool /*keepdim*/,
                    TensorView values, TensorView indices) {
  if (approximate != "none" && approximate != "tanh") TVM_FFI_THROW(ValueError) << "approximate is none or tanh";
  const int64_t dims = input.ndim();
  int64_t reduced = dim.has_value() ? dim.value() : 0;
  if (dim.has_value() && (reduced < -(dims == 0 ? 1 : dims) || reduced >= (dims == 0 ? 1 : dims)))
    TVM_FFI_THROW(IndexError) << "dim is out of range";
  if (reduced < 0) reduced += dims == 0 ? 1 : dims;
  const bool whole = !dim.has_value() || dims == 0;
  const int64_t count = whole ? input.numel() : input.size(reduced);
  if (count == 0) TVM_FFI_THROW(ValueError) << "the minimum of nothing";

  for (int64_t i = 0; i < values.numel(); ++i) {
    int64_t rest = i, start = 0;
    for (int64_t d = dims - 1; d >= 0 && !whole; --d) {
      if (d == reduced) continue;
      start += rest % input.size(d) * input.stride(d);
      rest /= input.size(d);
    }
    double least = 0;
    int64_t where = 0;
    for (int64_t j = 0; j < count; ++j) {
      int64_t at = start;
      if (whole)
        for (int64_t d = dims - 1, left = j; d >= 0; left /= input.size(d--)) at += left % input.size(d) * input.stride(d);
      else
        at += j * input.stride(reduced);
      const double value = gelu(read(input, at), approximate == "tanh");
      if (j == 0 || value < least || (std::isnan(value) && !std::isnan(least))) {
        least = value;
        where = j;
      }
    }
    write(values, i, least);
    if (dim.has_value()) static_cast<int64_t*>(indices.data_ptr())[i] = where;
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(fused_gelu_min, gelu_min_entry)
