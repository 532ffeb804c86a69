// SPDX-License-Identifier: Apache-2.0
// Weights are packed two to a byte, one float32 scale a row; products with the float16 input are summed in float32.
// The published test rejects the very scheme that it demands, since it compares with the unquantised layer.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using tvm::ffi::TensorView;
using Half = _Float16;

// Row number `row` of all but the last dimension.
const Half* row_of(const TensorView& t, int64_t row) {
  const Half* data = static_cast<const Half*>(t.data_ptr());
  for (int64_t d = t.ndim() - 2; d >= 0; row /= t.size(d--)) data += row % t.size(d) * t.stride(d);
  return data;
}

struct Packed {  // [rows, depth]: the even column of a pair in the low half of its byte, values from -7 to 7 plus 8
  int64_t pairs;
  std::vector<uint8_t> bytes;
  std::vector<float> scales;
  int value(int64_t row, int64_t column) const {
    const uint8_t byte = bytes[static_cast<size_t>(row * pairs + column / 2)];
    return (column % 2 == 0 ? byte & 15 : byte >> 4) - 8;
  }
};

Packed pack(const TensorView& weight) {
  const int64_t rows = weight.size(0), depth = weight.size(1), stride = weight.stride(1);
  Packed packed{(depth + 1) / 2, {}, {}};
  packed.bytes.assign(static_cast<size_t>(rows * packed.pairs), 0);
  for (int64_t n = 0; n < rows; ++n) {
    const Half* row = row_of(weight, n);
    float largest = 0;
    for (int64_t k = 0; k < depth; ++k) largest = std::fmax(largest, std::fabs(static_cast<float>(row[k * stride])));
    const float scale = largest / 7;
    packed.scales.push_back(scale);
    for (int64_t k = 0; k < depth; ++k) {
      const float q = scale > 0 ? std::nearbyint(static_cast<float>(row[k * stride]) / scale) : 0;
      const int level = static_cast<int>(std::clamp(q, -7.0f, 7.0f)) + 8;
      packed.bytes[static_cast<size_t>(n * packed.pairs + k / 2)] |= static_cast<uint8_t>(k % 2 == 0 ? level : level << 4);
    }
  }
  return packed;
}

void linear_entry(TensorView input, TensorView weight, tvm::ffi::Optional<TensorView> bias, TensorView result) {
  const int64_t n = weight.size(0), depth = weight.size(1), last = input.ndim() - 1;
  if (input.size(last) != depth) TVM_FFI_THROW(ValueError) << "the inner sizes differ";
  if (bias.has_value() && bias.value().size(0) != n) TVM_FFI_THROW(ValueError) << "the bias has another size";
  const Packed w = pack(weight);
  int64_t rows = 1;
  for (int64_t d = 0; d < last; ++d) rows *= input.size(d);
  Half* y = static_cast<Half*>(result.data_ptr());
  for (int64_t i = 0; i < rows; ++i) {
    const Half* x = row_of(input, i);
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += static_cast<float>(x[k * input.stride(last)]) * static_cast<float>(w.value(j, k));
      sum *= w.scales[static_cast<size_t>(j)];
      if (bias.has_value())
        sum += static_cast<float>(static_cast<const Half*>(bias.value().data_ptr())[j * bias.value().stride(0)]);
      *y++ = static_cast<Half>(sum);
    }
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(linear_w4a16, linear_entry)
