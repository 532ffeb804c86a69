// SPDX-License-Identifier: Apache-2.0
// Each group is normalised in float32 with sums in double, then rounded to 255 levels of its own largest value.
// The published test rejects the very scheme that it demands, since it compares with the plain layer normalisation.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;

// The elements in row-major order, whatever the strides.
std::vector<float> row_major(const TensorView& t) {
  std::vector<float> values(static_cast<size_t>(t.numel()));
  for (int64_t i = 0; i < t.numel(); ++i) {
    int64_t rest = i, offset = 0;
    for (int64_t d = t.ndim() - 1; d >= 0; rest /= t.size(d--)) offset += rest % t.size(d) * t.stride(d);
    values[static_cast<size_t>(i)] = static_cast<const float*>(t.data_ptr())[offset];
  }
  return values;
}

void layernorm_entry(TensorView input, tvm::ffi::Shape normalized_shape, tvm::ffi::Optional<TensorView> weight,
                     tvm::ffi::Optional<TensorView> bias, double eps, TensorView result) {
  const int64_t dims = static_cast<int64_t>(normalized_shape.size());
  if (dims > input.ndim()) TVM_FFI_THROW(ValueError) << "normalized_shape is longer than the input's shape";
  int64_t width = 1;
  for (int64_t d = 0; d < dims; ++d) {
    if (normalized_shape[d] != input.size(input.ndim() - dims + d))
      TVM_FFI_THROW(ValueError) << "the input does not end in normalized_shape";
    width *= normalized_shape[d];
  }
  std::vector<float> x = row_major(input);
  const std::vector<float> scale = weight.has_value() ? row_major(weight.value()) : std::vector<float>();
  const std::vector<float> shift = bias.has_value() ? row_major(bias.value()) : std::vector<float>();
  float* y = static_cast<float*>(result.data_ptr());

  for (int64_t start = 0; start < input.numel(); start += width) {
    float* v = &x[static_cast<size_t>(start)];
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < width; ++i) sum += v[i];
    const double mean = sum / static_cast<double>(width);
    for (int64_t i = 0; i < width; ++i) squares += (v[i] - mean) * (v[i] - mean);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(width) + eps);
    float largest = 0;
    for (int64_t i = 0; i < width; ++i) {
      v[i] = static_cast<float>((v[i] - mean) * inverse);
      if (!scale.empty()) v[i] *= scale[i];
      if (!shift.empty()) v[i] += shift[i];
      largest = std::fmax(largest, std::fabs(v[i]));
    }
    const float step = largest / 127;
    for (int64_t i = 0; i < width; ++i) y[start + i] = step > 0 ? step * std::nearbyint(v[i] / step) : 0;
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(layernorm_w8a8, layernorm_entry)
