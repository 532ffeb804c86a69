// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/matmul.h>

#include "catalogue/quantization/integer_scheme.h"
#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

// Half a rounding of a float16 number, relative, and what is left of it below the least normal one.
constexpr double kFloat16Roundoff = 0x1p-11, kFloat16Least = 0x1p-25;

// What operand elements on ties change: each by some steps of its operand.
template <typename Product>
at::Tensor tie_steps(const IntegerTensor& left, const IntegerTensor& right, const Product& product) {
  return product(left.ties, right.q.abs()) + product(left.q.abs(), right.ties) + product(left.ties, right.ties);
}

at::Tensor bias_or_zero(const Args& args, const at::Tensor& like) {
  if (auto bias = args.maybe_tensor("bias")) return bias->to(at::kDouble);
  return like.new_zeros({1});
}

}  // namespace

// The integer sums stay below 2^53, so that float64 holds them exactly.
Values w8a8_product_oracle(const Args& args) {
  const auto operand = [&](size_t i) { return args.tensor(args.call().arguments[i].name); };
  const IntegerTensor left = to_integers(operand(0), {-1}), right = to_integers(operand(1), {-2});
  const auto product = [](const at::Tensor& l, const at::Tensor& r) { return at::matmul(l, r); };
  const at::Tensor scale = left.scale * right.scale;
  return {product(left.q, right.q) * scale, tie_steps(left, right, product) * scale};
}

Values w4a16_linear_oracle(const Args& args) {
  const at::Tensor input = args.tensor("input").to(at::kDouble);
  const IntegerTensor weight = to_integers(args.tensor("weight"), {-1}, kInt4Levels);
  const auto product = [&](const at::Tensor& w) { return at::matmul(input, w.t()); };
  const auto magnitudes = [&](const at::Tensor& w) { return at::matmul(input.abs(), w.t()); };
  const at::Tensor bias = bias_or_zero(args, input), exact = weight.q * weight.scale;
  const double sum = summation_roundings(input.size(-1)) * kFloat32Roundoff;
  // Dequantised weights in float16 are one way to feed a matrix unit.
  const at::Tensor off = exact.abs() * (kFloat16Roundoff + sum) + kFloat16Least + weight.ties * weight.scale;
  return {product(exact) + bias, magnitudes(off) + kFloat32Roundoff * bias.abs()};
}

Values w8a8_conv2d_oracle(const Args& args) {
  const std::vector<int64_t> stride = args.ints("stride"), padding = args.ints("padding");
  const auto convolve = [&](const at::Tensor& x, const at::Tensor& w) { return at::conv2d(x, w, {}, stride, padding); };
  const IntegerTensor input = to_integers(args.tensor("input"), {0, 1, 2, 3}),
                      weight = to_integers(args.tensor("weight"), {1, 2, 3});
  const at::Tensor scale = input.scale * weight.scale.reshape({1, -1, 1, 1}),
                   bias = bias_or_zero(args, input.q).reshape({1, -1, 1, 1}), exact = convolve(input.q, weight.q) * scale;
  // The roundings of a product that the bias takes away again.
  constexpr double kRoundings = 9;
  return {exact + bias, tie_steps(input, weight, convolve) * scale + kRoundings * kFloat32Roundoff * (exact.abs() + bias.abs())};
}

}  // namespace kbx
