// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "contracts/rounding.h"

namespace kbx {
namespace {

bool is_floating(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().is_floating_point();
}

bool is_complex(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().is_complex();
}

bool is_number(const at::Tensor& t) { return t.unsafeGetTensorImpl()->is_wrapped_number(); }

std::vector<int64_t> dims_of(const Operation& op, int64_t rank) {
  std::vector<int64_t> dims;
  const c10::IValue dim = op.value("dim");
  if (dim.isInt()) dims = {dim.toInt()};
  if (dim.isIntList()) dims = dim.toIntVector();
  for (int64_t& d : dims) d += d < 0 ? rank : 0;
  std::sort(dims.begin(), dims.end());
  if (dims.empty()) {
    dims.resize(rank);
    std::iota(dims.begin(), dims.end(), 0);
  }
  return dims;
}

std::optional<Reduction> along_dims(const Operation& op) {
  const auto self = op.tensor("self");
  if (!self || !self->is_floating_point() || self->dim() == 0 || self->numel() == 0) return std::nullopt;
  const c10::IValue keepdim = op.value("keepdim");
  return Reduction{*self, dims_of(op, self->dim()), keepdim.isBool() && keepdim.toBool()};
}

at::Tensor widened(const at::Tensor& t) { return t.to(working_type(t.scalar_type())); }

// CUDA's softmax of fp16 that gives float32: it takes nothing but fp16 then.
bool widens_half(const Operation& op) {
  const c10::IValue flag = op.value("half_to_float");
  return flag.isBool() && flag.toBool();
}

}  // namespace

std::optional<Reduction> reduction_of(const Operation& op) {
  static const std::set<std::string> kNames{"sum",       "mean",     "prod", "var",    "std",
                                            "var_mean",  "std_mean", "norm", "nansum", "linalg_vector_norm",
                                            "logsumexp", "amax",     "amin"};
  return kNames.contains(op.base()) ? along_dims(op) : std::nullopt;
}

std::optional<Reduction> row_operation_of(const Operation& op) {
  static const std::set<std::string> kNames{"_softmax", "_log_softmax"};
  auto found = kNames.contains(op.base()) ? along_dims(op) : std::nullopt;
  if (found && widens_half(op)) found->self = found->self.to(at::kFloat);
  return found;
}

Operation with_rows(const Operation& op, const at::Tensor& self) {
  const Operation changed = op.with("self", self);
  return widens_half(op) ? changed.with("half_to_float", false) : changed;
}

at::Tensor rows(const Reduction& r) {
  std::vector<int64_t> order;
  int64_t outer = 1;
  for (int64_t d = 0; d < r.self.dim(); ++d)
    if (!std::binary_search(r.dims.begin(), r.dims.end(), d)) {
      order.push_back(d);
      outer *= r.self.size(d);
    }
  order.insert(order.end(), r.dims.begin(), r.dims.end());
  return r.self.permute(order).reshape({outer, r.self.numel() / outer});
}

at::Tensor unrowed(const Reduction& r, const at::Tensor& per_row) {
  std::vector<int64_t> shape;
  for (int64_t d = 0; d < r.self.dim(); ++d) {
    const bool reduced = std::binary_search(r.dims.begin(), r.dims.end(), d);
    if (!reduced || r.keepdim) shape.push_back(reduced ? 1 : r.self.size(d));
  }
  return per_row.reshape(shape);
}

std::optional<at::Tensor> with_product(const Operation& op, const Product& product) {
  struct Form {
    const char *base, *left, *right;
    int left_rank, right_rank;  // 1: a vector
    bool adds;                  // beta self + alpha product
  };
  static constexpr Form kForms[] = {
      {"mm", "self", "mat2", 2, 2, false},         {"bmm", "self", "mat2", 2, 2, false},  {"mv", "self", "vec", 2, 1, false},
      {"dot", "self", "tensor", 1, 1, false},      {"addmm", "mat1", "mat2", 2, 2, true}, {"addmv", "mat", "vec", 2, 1, true},
      {"baddbmm", "batch1", "batch2", 2, 2, true},
  };
  const auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return op.base() == f.base; });
  if (form == std::end(kForms)) return std::nullopt;
  const auto left = op.tensor(form->left), right = op.tensor(form->right);
  if (!left || !right || !left->is_floating_point() || left->numel() == 0 || right->numel() == 0) return std::nullopt;
  at::Tensor result = product(form->left_rank == 1 ? widened(*left).unsqueeze(0) : widened(*left),
                              form->right_rank == 1 ? widened(*right).unsqueeze(1) : widened(*right));
  if (form->right_rank == 1) result = result.squeeze(-1);
  if (form->left_rank == 1) result = result.squeeze(0);
  if (form->adds) {
    result = result * op.value("alpha").toScalar();
    const at::Scalar beta = op.value("beta").toScalar();
    if (beta.toDouble() != 0) result = result + widened(*op.tensor("self")) * beta;
  }
  return result.to(left->scalar_type());
}

bool is_approximated(const Operation& op) {
  static const std::set<std::string> kNames{"exp",
                                            "exp2",
                                            "expm1",
                                            "log",
                                            "log2",
                                            "log10",
                                            "log1p",
                                            "tanh",
                                            "sigmoid",
                                            "erf",
                                            "erfc",
                                            "sin",
                                            "cos",
                                            "tan",
                                            "sinh",
                                            "cosh",
                                            "asin",
                                            "acos",
                                            "atan",
                                            "atan2",
                                            "asinh",
                                            "acosh",
                                            "atanh",
                                            "gelu",
                                            "silu",
                                            "mish",
                                            "softplus",
                                            "elu",
                                            "selu",
                                            "celu",
                                            "pow",
                                            "rsqrt",
                                            "sqrt",
                                            "div",
                                            "reciprocal",
                                            "lgamma",
                                            "digamma",
                                            "special_i0",
                                            "i0",
                                            "special_ndtr",
                                            "logit",
                                            "log_sigmoid_forward",
                                            "_softmax",
                                            "_log_softmax",
                                            "logsumexp",
                                            "special_erfcx",
                                            "special_i0e",
                                            "special_i1",
                                            "erfinv",
                                            "hardsigmoid",
                                            "float_power",
                                            "true_divide",
                                            "special_bessel_j0",
                                            "special_bessel_j1",
                                            "special_airy_ai"};
  return kNames.contains(op.base()) && op.value("rounding_mode").isNone();
}

at::ScalarType working_type(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type; }

bool reads_floating(const Operation& op) {
  for (const c10::IValue& value : op.arguments()) {
    if (is_floating(value)) return true;
    if (value.isTensorList())
      for (const at::Tensor& t : value.toTensorVector())
        if (t.is_floating_point()) return true;
  }
  return false;
}

Operation with_floating(const Operation& op, const std::function<at::Tensor(const at::Tensor&)>& change) {
  Operation changed = op;
  for (size_t i = 0; i < op.arguments().size(); ++i) {
    const c10::IValue& value = op.arguments()[i];
    if (op.schema().arguments()[i].is_out()) continue;
    if (is_floating(value) && !is_number(value.toTensor())) changed = changed.with(i, change(value.toTensor()));
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : value.toTensorVector()) list.push_back(t.is_floating_point() ? change(t) : t);
      changed = changed.with(i, list);
    }
  }
  return changed;
}

Operation in_precision(const Operation& op, at::ScalarType precision) {
  Operation changed = with_floating(op, [&](const at::Tensor& t) { return t.to(precision); });
  for (size_t i = 0; i < op.arguments().size(); ++i) {
    const c10::IValue& value = op.arguments()[i];
    if (op.schema().arguments()[i].is_out() && is_floating(value)) changed = changed.with(i, value.toTensor().to(precision));
    if (op.schema().arguments()[i].name() == "dtype" && value.isInt() &&
        c10::isFloatingType(static_cast<at::ScalarType>(value.toInt())))
      changed = changed.with(i, static_cast<int64_t>(precision));
  }
  if (widens_half(op) && precision != at::kHalf) changed = changed.with("half_to_float", false);
  return changed;
}

Results in_types_of(const Results& results, const Results& like) {
  Results typed = results;
  for (size_t i = 0; i < typed.size() && i < like.size(); ++i) {
    if (is_complex(typed[i]) && is_complex(like[i])) typed[i] = typed[i].toTensor().to(like[i].toTensor().scalar_type());
    if (!is_floating(typed[i]) || !is_floating(like[i])) continue;
    const at::Tensor value = typed[i].toTensor();
    const at::ScalarType type = like[i].toTensor().scalar_type();
    typed[i] = value.scalar_type() == at::kDouble && type != at::kDouble ? round_to(value, type).to(type) : value.to(type);
  }
  return typed;
}

at::Tensor sum_in_steps(const at::Tensor& matrix, const Step& step) {
  constexpr int64_t kMostSteps = 2048;
  const int64_t n = matrix.size(1), lanes = (n + kMostSteps - 1) / kMostSteps, steps = (n + lanes - 1) / lanes;
  const at::Tensor padded = lanes * steps == n ? matrix : at::constant_pad_nd(matrix, {0, lanes * steps - n});
  const at::Tensor columns = padded.reshape({matrix.size(0), steps, lanes}).permute({1, 0, 2}).contiguous();
  at::Tensor accumulator = at::zeros({matrix.size(0), lanes}, matrix.options());
  for (int64_t i = 0; i < steps; ++i) accumulator = step(accumulator, columns.select(0, i));
  at::Tensor total = accumulator.select(1, 0);
  for (int64_t lane = 1; lane < lanes; ++lane) total = step(total, accumulator.select(1, lane));
  return total;
}

}  // namespace kbx
