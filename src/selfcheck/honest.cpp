// SPDX-License-Identifier: Apache-2.0
// The honest ways that docs/tolerance.md was measured with, as far as they can be told by ATen calls.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>

#include <map>
#include <numbers>

#include "selfcheck/operators.h"
#include "selfcheck/steps.h"
#include "selfcheck/variants.h"

namespace kbx {
namespace {

bool any_type(at::ScalarType) { return true; }
bool sixteen_bits(at::ScalarType t) { return t == at::kHalf || t == at::kBFloat16; }
bool below_double(at::ScalarType t) { return t != at::kDouble; }

// Every operator in float64, its results rounded to what they are due: the best that one kernel for each could do.
std::optional<Results> each_in_double(const Operation& op) {
  if (op.moves_only() || op.is_composite() || !reads_floating(op)) return std::nullopt;
  return in_types_of(in_precision(op, at::kDouble).run(), op.run());
}

// Sums from the other end.
std::optional<Results> reversed(const Operation& op) {
  if (const auto product =
          with_product(op, [](const at::Tensor& l, const at::Tensor& r) { return at::matmul(l.flip(-1), r.flip(-2)); }))
    return Results{*product};
  if (const auto r = reduction_of(op)) return op.with("self", r->self.flip(r->dims)).run();
  if (const auto r = row_operation_of(op)) return Results{only_tensor(with_rows(op, r->self.flip(r->dims)).run())->flip(r->dims)};
  return std::nullopt;
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) { return a + b; }
at::Tensor unchanged(const at::Tensor& t) { return t; }

// Partial results of 16 parts, as split-K kernels and blocks of threads have them.
std::optional<Results> in_parts(const Operation& op) {
  constexpr int64_t kParts = 16;
  const auto product = [](const at::Tensor& l, const at::Tensor& r) { return product_in_steps(l, r, kParts, unchanged); };
  if (const auto y = with_product(op, product)) return Results{*y};
  return with_row_sum(op, [](const at::Tensor& x) {
    at::Tensor sum;
    for (const at::Tensor& part : x.chunk(kParts, 1)) sum = sum.defined() ? sum + part.sum(1) : part.sum(1);
    return sum;
  });
}

// One accumulator.
std::optional<Results> one_by_one(const Operation& op) {
  constexpr int64_t kSteps = 512;
  const auto product = [](const at::Tensor& l, const at::Tensor& r) { return product_in_steps(l, r, kSteps, unchanged); };
  if (const auto y = with_product(op, product)) return Results{*y};
  if (auto y = with_channel_sum(op, add)) return y;
  return with_row_sum(op, [](const at::Tensor& x) { return sum_in_steps(x, add); });
}

// Mean first, then squared deviations; each by a single accumulator.
Moments two_passes(const at::Tensor& x) {
  const double n = static_cast<double>(x.size(1));
  const at::Tensor mean = sum_in_steps(x, add) / n;
  return {mean, (x - mean.unsqueeze(1)).square().sum(1) / n};
}

// Welford's statistics of parts, merged (Chan, Golub, LeVeque 1983).
Moments merged(const at::Tensor& x) {
  at::Tensor mean, squares;
  double n = 0;
  for (const at::Tensor& part : x.chunk(7, 1)) {
    const double m = static_cast<double>(part.size(1));
    const at::Tensor part_mean = part.mean(1), part_squares = (part - part_mean.unsqueeze(1)).square().sum(1);
    if (n == 0) {
      mean = part_mean;
      squares = part_squares;
    } else {
      const at::Tensor distance = part_mean - mean;
      mean = mean + distance * (m / (n + m));
      squares = squares + part_squares + distance.square() * (n * m / (n + m));
    }
    n += m;
  }
  return {mean, squares / n};
}

// +1 and -1 by turns that do not keep step with any row length.
at::Tensor alternating(const at::Tensor& like) {
  const at::Tensor index = at::arange(like.numel(), like.options().dtype(at::kLong));
  return (index * 0x9e3779b1).bitwise_right_shift(20).bitwise_and(1).mul(2).sub(1).reshape(like.sizes());
}

// An approximated function that is off by up to two units in the last place.
template <typename Sign>
std::optional<Results> off_by_two_ulp(const Operation& op, const Sign& sign) {
  if (!is_approximated(op)) return std::nullopt;
  const Results exact = op.run();
  const auto y = only_tensor(exact);
  if (!y || !y->is_floating_point() || op.is_composite()) return std::nullopt;
  const at::ScalarType type = working_type(y->scalar_type());
  const double ulp = type == at::kDouble ? 0x1p-53 : 0x1p-24;
  const Operation wide = in_precision(op, type);
  const at::Tensor value = *only_tensor(wide.run());
  return in_types_of({value * (sign(value).to(type) * (2 * ulp) + 1)}, exact);
}

std::optional<Results> by_reciprocals(const Operation& op) {
  if (op.base() == "div" && op.value("rounding_mode").isNone()) {
    const auto self = op.tensor("self"), other = op.tensor("other");
    const Results exact = op.run();
    const auto y = only_tensor(exact);
    if (!self || !other || !y || !y->is_floating_point() || !self->is_floating_point()) return std::nullopt;
    const at::ScalarType type = working_type(y->scalar_type());
    return in_types_of({self->to(type) * other->to(type).reciprocal()}, exact);
  }
  if (op.base() == "sqrt")
    return with_formula(op,
                        [](const at::Tensor& x) { return at::where((x == 0).logical_or(x.isinf()), x.sqrt(), x * x.rsqrt()); });
  if (op.base() == "rsqrt") return with_formula(op, [](const at::Tensor& x) { return x.sqrt().reciprocal(); });
  if (op.base() == "mean") return with_row_sum(op, [](const at::Tensor& x) { return x.sum(1); });
  return std::nullopt;
}

using Formula = at::Tensor (*)(const at::Tensor&);

// The same function by other formulas, as kernels have them whose language offers exp2, log2, erfc and little else.
const std::map<std::string, Formula>& formulas() {
  static const auto* table = new std::map<std::string, Formula>{
      {"exp", [](const at::Tensor& x) { return (x * std::numbers::log2e).exp2(); }},
      {"log", [](const at::Tensor& x) { return x.log2() * std::numbers::ln2; }},
      {"sigmoid", [](const at::Tensor& x) { return (x.neg().exp() + 1).reciprocal(); }},
      {"silu",
       [](const at::Tensor& x) { return at::where(x.isinf(), x.relu() + (x - x.relu()).exp() * 0, x / (x.neg().exp() + 1)); }},
      {"tanh",
       [](const at::Tensor& x) {
         const at::Tensor t = (x.abs() * 2).clamp_max(50).expm1();
         return t / (t + 2) * x.sign();
       }},
  };
  return *table;
}

std::optional<Results> by_other_formulas(const Operation& op) {
  if (op.base() == "gelu") {
    const bool tanh = op.value("approximate").toStringRef() == "tanh";
    return with_formula(op, [&](const at::Tensor& x) {
      if (!tanh) return at::where(x.isinf(), x.relu(), x * 0.5 * (x * -std::numbers::sqrt2 / 2).erfc());
      const at::Tensor u = (x + x * x * x * 0.044715) * (2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
      return x * u.sigmoid();
    });
  }
  if (op.base() == "_softmax" || op.base() == "_log_softmax") {
    const auto r = row_operation_of(op);
    if (!r) return std::nullopt;
    const at::Tensor x = r->self.to(working_type(r->self.scalar_type()));
    const at::Tensor centred = x - x.amax(r->dims, true);
    const at::Tensor powers = (centred * std::numbers::log2e).exp2(), sum = powers.sum(r->dims, true);
    const at::Tensor y = op.base() == "_softmax" ? powers * sum.reciprocal() : centred - sum.log2() * std::numbers::ln2;
    return Results{y.to(r->self.scalar_type())};
  }
  const auto formula = formulas().find(op.base());
  if (formula == formulas().end()) return std::nullopt;
  return with_formula(op, formula->second);
}

}  // namespace

std::span<const Variant> honest_variants() {
  static const auto* variants = new std::vector<Variant>{
      {{.name = "float64, rounded once", .precision = at::kDouble}, below_double},
      {{.name = "float32, rounded once", .precision = at::kFloat}, sixteen_bits},
      {{.name = "each operator in float64", .rewrite = each_in_double}, below_double},
      {{.name = "sums from the other end", .rewrite = reversed}, any_type},
      {{.name = "sums in 16 parts", .rewrite = in_parts}, any_type},
      {{.name = "sums one by one", .rewrite = one_by_one}, any_type},
      {{.name = "variance in two passes", .rewrite = [](const Operation& op) { return with_moments(op, two_passes); }}, any_type},
      {{.name = "variance merged from parts", .rewrite = [](const Operation& op) { return with_moments(op, merged); }}, any_type},
      {{.name = "functions 2 ulp off, by turns", .rewrite = [](const Operation& op) { return off_by_two_ulp(op, alternating); }},
       any_type},
      {{.name = "functions 2 ulp too large",
        .rewrite = [](const Operation& op) { return off_by_two_ulp(op, [](const at::Tensor& y) { return y.sign().abs(); }); }},
       any_type},
      {{.name = "division by reciprocals", .rewrite = by_reciprocals}, any_type},
      {{.name = "functions by other formulas", .rewrite = by_other_formulas}, any_type},
  };
  return *variants;
}

}  // namespace kbx
