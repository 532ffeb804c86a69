// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

struct QuantisedMatrix {
  at::Tensor values;  // integers in [-127, 127], held in float64
  at::Tensor scale;   // one for each row or column, broadcasting with the product
};

QuantisedMatrix quantise(const at::Tensor& matrix, int64_t dim) {
  at::Tensor exact = matrix.to(at::kDouble);
  if (exact.size(dim) == 0) return {exact, exact.sum(dim, true)};
  at::Tensor scale = exact.abs().amax(dim, true) / 127;
  // A row of zeros stays zero, whatever it is divided by.
  return {(exact / scale.masked_fill(scale == 0, 1)).round().clamp(-127, 127), scale};
}

}  // namespace

Values w8a8_matmul_oracle(const Args& args) {
  QuantisedMatrix input = quantise(args.tensor("input"), 1), weight = quantise(args.tensor("weight"), 0);
  // The sums stay below 2^53, so that float64 holds them exactly.
  return {at::matmul(input.values, weight.values) * input.scale * weight.scale};
}

}  // namespace kbx
