// SPDX-License-Identifier: Apache-2.0
// Loss and reduction in one pass: no intermediate tensor. Sums are kept in sixteen float lanes a block and in double
// across blocks.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr int64_t kLanes = 16, kBlock = 1024;

inline float loss(float x, float y, float beta) {
  const float d = std::fabs(x - y);
  const float square = 0.5f * d * d / beta, line = d - 0.5f * beta;
  return d < beta ? square : line;
}

double sum_block(const float* x, const float* y, int64_t count, float beta) {
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += loss(x[i + lane], y[i + lane], beta);
  for (; i < count; ++i) lanes[i % kLanes] += loss(x[i], y[i], beta);
  double sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

// The elements of a tensor in row-major order: its own memory if that is contiguous, else a copy in `space`.
const float* row_major(const tvm::ffi::TensorView& t, std::vector<float>* space) {
  const float* data = static_cast<const float*>(t.data_ptr());
  if (t.IsContiguous()) return data;
  space->resize(static_cast<size_t>(t.numel()));
  for (int64_t i = 0; i < t.numel(); ++i) {
    int64_t rest = i, offset = 0;
    for (int64_t d = t.ndim() - 1; d >= 0; --d) {
      offset += (rest % t.size(d)) * t.stride(d);
      rest /= t.size(d);
    }
    (*space)[static_cast<size_t>(i)] = data[offset];
  }
  return space->data();
}

void smooth_l1_loss(tvm::ffi::TensorView input, tvm::ffi::TensorView target, double beta, tvm::ffi::String reduction,
                    tvm::ffi::TensorView result) {
  std::vector<float> input_space, target_space;
  const float* x = row_major(input, &input_space);
  const float* y = row_major(target, &target_space);
  float* out = static_cast<float*>(result.data_ptr());
  const int64_t total = input.numel();
  const float b = static_cast<float>(beta);
  if (reduction == "none") {
    for (int64_t i = 0; i < total; ++i) out[i] = loss(x[i], y[i], b);
    return;
  }
  double sum = 0;
  for (int64_t i = 0; i < total; i += kBlock) sum += sum_block(x + i, y + i, total - i < kBlock ? total - i : kBlock, b);
  *out = static_cast<float>(reduction == "mean" ? sum / static_cast<double>(total) : sum);
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(smooth_l1_loss, smooth_l1_loss);
