// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>

#include <numeric>

#include "catalogue/quantization/integer_scheme.h"
#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

constexpr double kU = kFloat32Roundoff;

// A number that a float32 kernel knows up to `off`.
struct Known {
  at::Tensor value, off;
};

// x [rows, n]. First order in the roundings: of the mean and of each difference from it, of the variance, whose error from
// the mean's is of second order, of the root and of the last two operations.
Known normalised(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  const double sum = summation_roundings(x.size(1)) * kU;
  const at::Tensor mean = x.mean(1, true), off_mean = sum * x.abs().mean(1, true);
  const at::Tensor d = x - mean, off_d = off_mean + kU * d.abs();
  const at::Tensor variance = d.square().mean(1, true), off_variance = (sum + 4 * kU) * variance + off_mean.square();
  const at::Tensor root = (variance + eps).rsqrt(), off_root = off_variance / (variance + eps) / 2 + 4 * kU;
  const at::Tensor factor = (root * weight).abs(), product = d * root * weight;
  return {product + bias, factor * off_d + product.abs() * (off_root + 3 * kU) + kU * bias.abs()};
}

}  // namespace

Values w8a8_layer_norm_oracle(const Args& args) {
  const at::Tensor input = args.tensor("input").to(at::kDouble);
  if (input.numel() == 0) return {input, input};
  const std::vector<int64_t> shape = args.ints("normalized_shape");
  const int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  const auto flat = [&](const char* name, double absent) {
    const auto given = args.maybe_tensor(name);
    return given ? given->to(at::kDouble).reshape({1, n}) : input.new_full({1, n}, absent);
  };
  const Known y = normalised(input.reshape({-1, n}), flat("weight", 1), flat("bias", 0), args.real("eps"));

  const IntegerTensor result = to_integers(y.value, {1});
  const at::Tensor largest = y.value.abs().amax(1, true), off_largest = y.off.amax(1, true);
  const at::Tensor t = y.value / result.scale;
  const at::Tensor off_t = y.off / result.scale + (t.abs() * off_largest) / (result.scale * kInt8Levels);
  constexpr double kRoundings = 8;
  const at::Tensor steps = integers_off(t, off_t + kRoundings * kU * (t.abs() + 1));
  at::Tensor off = steps * result.scale + (result.q.abs() + steps) * off_largest / kInt8Levels;
  // Of a row of zeros whatever rounding makes of them is the scale.
  off = at::where(largest.eq(0), 2 * off_largest, off);
  return {(result.q * result.scale).reshape(input.sizes()), off.reshape(input.sizes())};
}

}  // namespace kbx
