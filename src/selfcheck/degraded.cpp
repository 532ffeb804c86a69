// SPDX-License-Identifier: Apache-2.0
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

#include "contracts/rounding.h"
#include "selfcheck/operators.h"
#include "selfcheck/steps.h"
#include "selfcheck/variants.h"

namespace kbx {
namespace {

constexpr int kTf32Digits = 11;  // 10 stored bits; fp16 has as many, bf16 has 8

bool has_more_than(at::ScalarType type, int digits) {
  return !has_float_format(c10::toRealValueType(type)) || float_format(c10::toRealValueType(type)).digits > digits;
}
bool above_tf32(at::ScalarType type) { return has_more_than(type, kTf32Digits); }
bool above_bf16(at::ScalarType type) { return has_more_than(type, 8); }
bool above_float(at::ScalarType type) { return type == at::kDouble || type == at::kComplexDouble; }
bool holds_more_than_fp16(at::ScalarType type) { return type != at::kBFloat16; }
bool any_type(at::ScalarType) { return true; }
bool is_float(at::ScalarType type) { return c10::toRealValueType(type) == at::kFloat; }
bool is_half(at::ScalarType type) { return type == at::kHalf; }
bool has_sixteen_bits(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }

at::Tensor on_parts(const at::Tensor& x, const std::function<at::Tensor(const at::Tensor&)>& change) {
  return x.is_complex() ? at::view_as_complex(change(at::view_as_real(x.resolve_conj()))) : change(x);
}
at::Tensor cut_to_tf32(const at::Tensor& x) {
  return on_parts(x, [](const at::Tensor& p) { return round_significand(p.to(at::kDouble), kTf32Digits).to(p.scalar_type()); });
}
at::Tensor truncated_to_tf32(const at::Tensor& x) {
  return on_parts(x,
                  [](const at::Tensor& p) { return truncate_significand(p.to(at::kDouble), kTf32Digits).to(p.scalar_type()); });
}
template <at::ScalarType type>
at::Tensor through(const at::Tensor& x) {
  return on_parts(x, [](const at::Tensor& p) { return p.to(type).to(p.scalar_type()); });
}

// What tensor cores do with float32 matrices unless told otherwise.
std::optional<Results> products_in_tf32(const Operation& op) {
  if (op.base() == "convolution") {
    const auto input = op.tensor("input"), weight = op.tensor("weight");
    if (!input->is_floating_point()) return std::nullopt;
    return op.with("input", cut_to_tf32(*input)).with("weight", cut_to_tf32(*weight)).run();
  }
  const auto y =
      with_product(op, [](const at::Tensor& l, const at::Tensor& r) { return at::matmul(cut_to_tf32(l), cut_to_tf32(r)); });
  return y ? std::optional(Results{*y}) : std::nullopt;
}

template <at::ScalarType type>
std::optional<Results> results_in(const Operation& op) {
  if (op.moves_only() || op.is_composite()) return std::nullopt;
  Results results = op.run();
  for (c10::IValue& value : results)
    if (value.isTensor() && value.toTensor().defined() && (value.toTensor().is_floating_point() || value.toTensor().is_complex()))
      value = through<type>(value.toTensor());
  return results;
}

template <at::ScalarType type>
std::optional<Results> sums_in(const Operation& op) {
  constexpr int64_t kSteps = 256;
  const auto add = [](const at::Tensor& sum, const at::Tensor& x) { return through<type>(sum + x); };
  const auto product = [](const at::Tensor& l, const at::Tensor& r) { return product_in_steps(l, r, kSteps, through<type>); };
  if (const auto y = with_product(op, product)) return Results{*y};
  if (auto y = with_channel_sum(op, add)) return y;
  return with_row_sum(op, [&](const at::Tensor& x) { return sum_in_steps(x, add); });
}

}  // namespace

std::span<const Variant> degraded_variants() {
  static const auto* variants = new std::vector<Variant>{
      {{.name = kTf32Inputs, .change_input = cut_to_tf32}, above_tf32},
      {{.name = "inputs truncated to TF32", .change_input = truncated_to_tf32}, above_tf32},
      {{.name = "inputs cut to fp16", .change_input = through<at::kHalf>}, above_tf32},
      {{.name = "inputs cut to bf16", .change_input = through<at::kBFloat16>}, above_bf16},
      {{.name = "computed in float32", .precision = at::kFloat}, above_float},
      {{.name = "computed in fp16", .precision = at::kHalf}, above_tf32},
      {{.name = "computed in bf16", .precision = at::kBFloat16}, above_bf16},
      {{.name = "products in TF32", .rewrite = products_in_tf32}, above_tf32},
      {{.name = "every result in fp16", .rewrite = results_in<at::kHalf>}, above_tf32},
      {{.name = "every result in bf16", .rewrite = results_in<at::kBFloat16>}, above_bf16},
      {{.name = "sums accumulated in fp16", .rewrite = sums_in<at::kHalf>}, holds_more_than_fp16},
      {{.name = "sums accumulated in bf16", .rewrite = sums_in<at::kBFloat16>}, any_type},
  };
  return *variants;
}

std::span<const Variant> degraded_on_cuda() {
  static const auto* variants = new std::vector<Variant>{
      {{.name = "TF32 of cuBLAS and cuDNN",
        .settings =
            [] {
              at::globalContext().setAllowTF32CuBLAS(true);
              at::globalContext().setAllowTF32CuDNN(true);
            }},
       is_float},
      {{.name = "fp16 accumulation of cuBLAS", .settings = [] { at::globalContext().setAllowFP16AccumulationCuBLAS(true); }},
       is_half},
      {{.name = "16-bit split sums of cuBLAS",
        .settings =
            [] {
              at::globalContext().setAllowFP16ReductionCuBLAS(true);
              at::globalContext().setAllowBF16ReductionCuBLAS(true);
              at::globalContext().setAllowFP16BF16ReductionMathSDP(true);
            }},
       has_sixteen_bits},
  };
  return *variants;
}

}  // namespace kbx
