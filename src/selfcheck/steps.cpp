// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/steps.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>

namespace kbx {
namespace {

at::Tensor widened(const at::Tensor& t) { return t.to(working_type(t.scalar_type())); }

// A statistic for each row, shaped so that it broadcasts over the rows' tensor.
at::Tensor broadcast(const Reduction& r, const at::Tensor& per_row) { return unrowed({r.self, r.dims, true}, per_row); }

std::optional<Results> softmax_by(const Operation& op, const RowSum& row_sum) {
  const auto r = row_operation_of(op);
  if (!r) return std::nullopt;
  const at::Tensor x = widened(r->self), top = x.amax(r->dims, true);
  const at::Tensor powers = (x - top).exp();
  const at::Tensor sum = broadcast(*r, row_sum(rows({powers, r->dims, true})));
  const at::Tensor y = op.base() == "_softmax" ? powers / sum : (x - top) - sum.log();
  return Results{y.to(r->self.scalar_type())};
}

at::Tensor affine(at::Tensor y, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                  const std::vector<int64_t>& shape) {
  if (weight) y = y * widened(*weight).reshape(shape);
  if (bias) y = y + widened(*bias).reshape(shape);
  return y;
}

std::optional<Results> layer_norm_by(const Operation& op, const RowMoments& moments) {
  const auto input = op.tensor("input");
  if (op.base() != "native_layer_norm" || !input || input->numel() == 0) return std::nullopt;
  const std::vector<int64_t> shape = op.value("normalized_shape").toIntVector();
  Reduction r{widened(*input), {}, true};
  for (size_t i = 0; i < shape.size(); ++i) r.dims.push_back(input->dim() - static_cast<int64_t>(shape.size() - i));
  const Moments m = moments(rows(r));
  const at::Tensor mean = broadcast(r, m.mean), scale = broadcast(r, (m.variance + op.value("eps").toDouble()).rsqrt());
  const at::Tensor y = affine((r.self - mean) * scale, op.tensor("weight"), op.tensor("bias"), shape);
  return Results{y.to(input->scalar_type()), mean, scale};
}

std::optional<Results> group_norm_by(const Operation& op, const RowMoments& moments) {
  const auto input = op.tensor("input");
  if (op.base() != "native_group_norm" || !input || input->numel() == 0) return std::nullopt;
  const int64_t n = op.value("N").toInt(), channels = op.value("C").toInt(), groups = op.value("group").toInt();
  const at::Tensor x = widened(*input).reshape({n * groups, -1});
  const Moments m = moments(x);
  const at::Tensor scale = (m.variance + op.value("eps").toDouble()).rsqrt();
  const at::Tensor y = ((x - m.mean.unsqueeze(1)) * scale.unsqueeze(1)).reshape({n, channels, -1});
  const at::Tensor result = affine(y, op.tensor("weight"), op.tensor("bias"), {1, channels, 1});
  return Results{result.reshape(input->sizes()).to(input->scalar_type()), m.mean.reshape({n, groups}),
                 scale.reshape({n, groups})};
}

std::optional<Results> batch_norm_by(const Operation& op, const RowMoments& moments) {
  const auto input = op.tensor("input");
  if (op.base() != "native_batch_norm" || !input || input->numel() == 0 || !op.value("training").toBool()) return std::nullopt;
  Reduction r{widened(*input), {0}, true};
  for (int64_t d = 2; d < input->dim(); ++d) r.dims.push_back(d);
  const Moments m = moments(rows(r));
  const at::Tensor scale = (m.variance + op.value("eps").toDouble()).rsqrt();
  std::vector<int64_t> shape(input->dim(), 1);
  shape[1] = input->size(1);
  const at::Tensor y =
      affine((r.self - broadcast(r, m.mean)) * broadcast(r, scale), op.tensor("weight"), op.tensor("bias"), shape);
  Results results{y.to(input->scalar_type()), m.mean, scale};
  const double momentum = op.value("momentum").toDouble(), n = static_cast<double>(input->numel() / input->size(1));
  if (const auto running = op.tensor("running_mean")) results.emplace_back(*running * (1 - momentum) + m.mean * momentum);
  if (const auto running = op.tensor("running_var"))
    results.emplace_back(*running * (1 - momentum) + m.variance * (n / (n - 1)) * momentum);
  return results;
}

std::optional<Results> variance_by(const Operation& op, const RowMoments& moments) {
  const std::string& base = op.base();
  if ((base != "var" && base != "std" && base != "var_mean" && base != "std_mean") || op.find("correction") < 0)
    return std::nullopt;
  const auto r = reduction_of(op);
  if (!r) return std::nullopt;
  const at::ScalarType type = r->self.scalar_type();
  const at::Tensor x = widened(rows(*r));
  const Moments m = moments(x);
  const double n = static_cast<double>(x.size(1));
  const double correction = op.value("correction").isNone() ? 1 : op.value("correction").toScalar().toDouble();
  if (n - correction <= 0) return std::nullopt;
  const at::Tensor variance = m.variance * (n / (n - correction));
  const at::Tensor y = unrowed(*r, base.starts_with("std") ? variance.sqrt() : variance).to(type);
  if (base.ends_with("_mean")) return Results{y, unrowed(*r, m.mean).to(type)};
  return Results{y};
}

}  // namespace

std::optional<Results> with_row_sum(const Operation& op, const RowSum& row_sum) {
  if (auto softmax = softmax_by(op, row_sum)) return softmax;
  if (op.base() != "sum" && op.base() != "mean") return std::nullopt;
  const auto r = reduction_of(op);
  if (!r) return std::nullopt;
  const c10::IValue dtype = op.value("dtype");
  const at::ScalarType type = dtype.isInt() ? static_cast<at::ScalarType>(dtype.toInt()) : r->self.scalar_type();
  const at::Tensor x = rows(*r).to(working_type(type));
  at::Tensor y = row_sum(x);
  if (op.base() == "mean") y = y * (1.0 / static_cast<double>(x.size(1)));
  return Results{unrowed(*r, y).to(type)};
}

std::optional<Results> with_moments(const Operation& op, const RowMoments& moments) {
  for (const auto by : {variance_by, layer_norm_by, group_norm_by, batch_norm_by})
    if (auto results = by(op, moments)) return results;
  return std::nullopt;
}

std::optional<Results> with_channel_sum(const Operation& op, const Step& add) {
  if (op.base() != "convolution" || op.value("groups").toInt() != 1 || op.value("transposed").toBool()) return std::nullopt;
  const auto input = op.tensor("input"), weight = op.tensor("weight");
  if (!input || !weight || !input->is_floating_point() || input->numel() == 0 || weight->numel() == 0) return std::nullopt;
  const at::Tensor x = widened(*input), w = widened(*weight);
  const Operation plain = op.with("bias", c10::IValue());
  at::Tensor sum;
  for (int64_t c = 0; c < w.size(1); ++c) {
    const auto part = only_tensor(plain.with("input", x.narrow(1, c, 1)).with("weight", w.narrow(1, c, 1)).run());
    sum = sum.defined() ? add(sum, *part) : *part;
  }
  if (const auto bias = op.tensor("bias")) {
    std::vector<int64_t> shape(x.dim(), 1);
    shape[1] = bias->size(0);
    sum = sum + widened(*bias).reshape(shape);
  }
  return Results{sum.to(input->scalar_type())};
}

std::optional<Results> with_formula(const Operation& op, const std::function<at::Tensor(const at::Tensor&)>& formula) {
  const auto self = op.tensor("self");
  if (!self || !self->is_floating_point()) return std::nullopt;
  return Results{formula(widened(*self)).to(self->scalar_type())};
}

at::Tensor product_in_steps(const at::Tensor& left, const at::Tensor& right, int64_t steps,
                            const std::function<at::Tensor(const at::Tensor&)>& round) {
  const int64_t k = left.size(-1), width = (k + steps - 1) / steps;
  at::Tensor sum;
  for (int64_t i = 0; i < k; i += width) {
    const int64_t w = std::min(width, k - i);
    const at::Tensor part = at::matmul(left.narrow(-1, i, w), right.narrow(-2, i, w));
    sum = round(sum.defined() ? sum + part : part);
  }
  return sum;
}

}  // namespace kbx
