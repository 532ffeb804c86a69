// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/written.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/softmax.h>

#include <cmath>

#include "catalogue/write_out.h"

namespace kbx {
namespace {

struct Written {
  std::string_view task;
  Kind kind;
  Computation computation;
};

// One scale for a whole tensor, where the task has one for each row, column or channel.
at::Tensor quantised_as_a_whole(const at::Tensor& x, double levels = 127) {
  if (x.numel() == 0) return x;
  const at::Tensor scale = x.abs().max() / levels;
  return (x / scale.masked_fill(scale == 0, 1)).round() * scale;
}

Values product_of_whole_scales(const Args& a) {
  return {at::matmul(quantised_as_a_whole(a.tensor("input")), quantised_as_a_whole(a.tensor("weight")))};
}

Values batch_product_of_whole_scales(const Args& a) {
  return {at::matmul(quantised_as_a_whole(a.tensor("input")), quantised_as_a_whole(a.tensor("mat2")))};
}

Values linear_of_whole_scale(const Args& a) {
  return {at::linear(a.tensor("input"), quantised_as_a_whole(a.tensor("weight"), 7), a.maybe_tensor("bias"))};
}

Values convolution_of_whole_scale(const Args& a) {
  return {at::conv2d(quantised_as_a_whole(a.tensor("input")), quantised_as_a_whole(a.tensor("weight")), a.maybe_tensor("bias"),
                     a.ints("stride"), a.ints("padding"))};
}

// The published references do not quantise.
Values unquantised(const Args& a) { return a.call().task->published(a); }

Values norm_of_whole_scale(const Args& a) { return {quantised_as_a_whole(unquantised(a).front())}; }

Values attention_of_quantised_inputs(const Args& a) {
  const at::Tensor query = quantised_as_a_whole(a.tensor("query")), key = quantised_as_a_whole(a.tensor("key"));
  const at::Tensor scores = at::matmul(query, key.mT()) / std::sqrt(static_cast<double>(query.size(-1)));
  return {at::matmul(at::softmax(scores, -1), quantised_as_a_whole(a.tensor("value")))};
}

// As kernels for matrix units compute it: scores and sums in float32, the weights rounded to the inputs' type before they
// are normalised.
Values attention_with_rounded_weights(const Args& a) {
  const at::Tensor q = a.tensor("q"), k = a.tensor("k"), v = a.tensor("v");
  const at::ScalarType wide = at::toOpMathType(q.scalar_type());
  const c10::IValue& given = a.call().argument("softmax_scale").value;
  const double scale = given.isNone() ? 1 / std::sqrt(static_cast<double>(q.size(-1))) : a.real("softmax_scale");
  at::Tensor scores = at::matmul(q.to(wide), k.to(wide).mT()) * scale;
  if (a.flag("causal")) scores = scores.masked_fill(at::ones_like(scores).triu(1) != 0, -INFINITY);
  const at::Tensor weights = (scores - scores.amax(-1, true)).exp();
  const at::Tensor sums = at::matmul(weights.to(v.scalar_type()).to(wide), v.to(wide));
  return written(a, (sums / weights.sum(-1, true)).to(v.scalar_type()));
}

}  // namespace

std::vector<Computation> written_variants(std::string_view task, Kind kind) {
  static const auto* table = new std::vector<Written>{
      {"attention", Kind::honest, {.name = "weights rounded to the inputs' type", .function = attention_with_rounded_weights}},
      {"matmul_w8a8", Kind::degraded, {.name = "not quantised", .function = unquantised}},
      {"matmul_w8a8", Kind::degraded, {.name = "one scale for each matrix", .function = product_of_whole_scales}},
      {"bmm_w8a8", Kind::degraded, {.name = "not quantised", .function = unquantised}},
      {"bmm_w8a8", Kind::degraded, {.name = "one scale for each operand", .function = batch_product_of_whole_scales}},
      {"linear_w4a16", Kind::degraded, {.name = "not quantised", .function = unquantised}},
      {"linear_w4a16", Kind::degraded, {.name = "one scale for the weight", .function = linear_of_whole_scale}},
      {"conv2d_w8a8", Kind::degraded, {.name = "not quantised", .function = unquantised}},
      {"conv2d_w8a8", Kind::degraded, {.name = "one scale for the weight", .function = convolution_of_whole_scale}},
      {"layernorm_w8a8", Kind::degraded, {.name = "not quantised", .function = unquantised}},
      {"layernorm_w8a8", Kind::degraded, {.name = "one scale for the result", .function = norm_of_whole_scale}},
      {"attention_w8a8", Kind::degraded, {.name = "not quantised", .function = unquantised}},
      {"attention_w8a8", Kind::degraded, {.name = "probabilities not quantised", .function = attention_of_quantised_inputs}},
  };
  std::vector<Computation> chosen;
  for (const Written& w : *table)
    if (w.task == task && w.kind == kind) chosen.push_back(w.computation);
  return chosen;
}

}  // namespace kbx
