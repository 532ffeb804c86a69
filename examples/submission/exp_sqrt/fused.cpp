// SPDX-License-Identifier: Apache-2.0
// sqrt(exp(x)) in one pass: exp(x / 2) by a polynomial where the intermediate exp(x) neither overflows nor underflows;
// elsewhere (and for NaN) the two functions one after the other, as the task says. Loops over a block have a fixed
// length and no aliasing, so that compilers vectorise them.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace {

constexpr int64_t kBlock = 64;
constexpr float kSafe = 87.0f;  // exp(+-87) is a normal float

// exp(y) for |y| <= 44: y = n ln2 + r with |r| <= ln2 / 2 (ln2 in two parts, so that r is accurate), Taylor series in r.
inline float exp_small(float y) {
  const float shifted = y * 1.44269504f + 12582912.0f;  // adding 1.5 * 2^23 rounds to an integer
  const float n = shifted - 12582912.0f;
  const float r = (y - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r * r + r + 1.0f;
  return p * std::bit_cast<float>((static_cast<int32_t>(n) + 127) << 23);
}

// `count` elements, `stride` apart, to y.
void block(const float* x, int64_t stride, int64_t count, float* y) {
  float v[kBlock] = {};
  if (stride == 1) {
    std::copy_n(x, count, v);
  } else {
    for (int64_t i = 0; i < count; ++i) v[i] = x[i * stride];
  }
  int32_t largest = 0;  // as bits: ordered like the magnitudes, with infinity and NaN on top
  for (int64_t i = 0; i < kBlock; ++i) largest = std::max(largest, std::bit_cast<int32_t>(v[i]) & 0x7fffffff);
  if (largest <= std::bit_cast<int32_t>(kSafe)) {
    for (int64_t i = 0; i < kBlock; ++i) v[i] = exp_small(0.5f * v[i]);
  } else {
    for (int64_t i = 0; i < kBlock; ++i) v[i] = std::sqrt(std::exp(v[i]));
  }
  std::copy_n(v, count, y);
}

void exp_sqrt(tvm::ffi::TensorView input, tvm::ffi::TensorView result) {
  const float* x = static_cast<const float*>(input.data_ptr());
  float* y = static_cast<float*>(result.data_ptr());
  const int64_t total = input.numel();
  if (total == 0) return;
  const bool contiguous = input.IsContiguous();
  const int64_t columns = contiguous ? total : input.size(-1);
  const int64_t stride = contiguous ? 1 : input.stride(-1);
  for (int64_t row = 0; row < total / columns; ++row) {
    int64_t offset = 0, rest = row;
    for (int64_t d = input.ndim() - 2; d >= 0 && !contiguous; --d) {
      offset += (rest % input.size(d)) * input.stride(d);
      rest /= input.size(d);
    }
    for (int64_t i = 0; i < columns; i += kBlock)
      block(x + offset + i * stride, stride, std::min(kBlock, columns - i), y + row * columns + i);
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(exp_sqrt, exp_sqrt);
