// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "catalogue/layout.h"
#include "catalogue/schema.h"
#include "selfcheck/mutants.h"

namespace kbx {
namespace {

using Change = at::Tensor (*)(const at::Tensor&);

std::vector<int64_t> contiguous_strides(const at::Tensor& t) {
  std::vector<int64_t> strides(t.dim());
  int64_t stride = 1;
  for (int64_t d = t.dim(); d-- > 0; stride *= t.size(d)) strides[d] = stride;
  return strides;
}

// What a kernel reads that takes the elements to lie one after the other. Numbers for the NaN between them, of which
// LAPACK dies.
at::Tensor without_strides(const at::Tensor& t) {
  if (t.is_contiguous() || t.numel() == 0) return t;
  const int64_t held = static_cast<int64_t>(t.storage().nbytes()) / t.element_size() - t.storage_offset();
  if (held < t.numel()) return t;
  const at::Tensor read = t.as_strided(t.sizes(), contiguous_strides(t));
  if (!t.is_floating_point() || t.isnan().any().item<bool>()) return read;
  return at::nan_to_num(read, 391, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity());
}

at::Tensor without_nan(const at::Tensor& t) {
  const double inf = std::numeric_limits<double>::infinity();
  return t.is_floating_point() ? at::nan_to_num(t, 0, inf, -inf) : t;
}

at::Tensor without_infinity(const at::Tensor& t) {
  return t.is_floating_point() ? at::nan_to_num(t, std::numeric_limits<double>::quiet_NaN()) : t;
}

// One block for each row, and the row is longer.
at::Tensor one_block(const at::Tensor& t) {
  constexpr int64_t kBlock = 1024;
  if (t.dim() == 0 || t.size(-1) <= kBlock) return t;
  const at::Tensor cut = t.contiguous().clone();
  cut.narrow(-1, kBlock, t.size(-1) - kBlock).zero_();
  return cut;
}

at::Tensor zeros(const at::Tensor& t) { return at::zeros_like(t); }
at::Tensor flipped(const at::Tensor& t) { return t.dim() == 0 ? t : t.flip(-1); }

at::Tensor last_missing(const at::Tensor& t) {
  if (t.numel() == 0) return t;
  const at::Tensor cut = t.contiguous().clone();
  cut.view(-1).narrow(0, t.numel() - 1, 1).fill_(poison_for(t.scalar_type()));
  return cut;
}

at::Tensor tail_missing(const at::Tensor& t) {
  constexpr int64_t kBlock = 16;
  const int64_t n = t.dim() == 0 ? 0 : t.size(-1), whole = n / kBlock * kBlock;
  if (t.numel() == 0 || whole == n) return t;
  const at::Tensor cut = t.contiguous().clone();
  cut.narrow(-1, whole, n - whole).fill_(poison_for(t.scalar_type()));
  return cut;
}

bool is_data(const Argument& a) { return !a.is_out && a.value.isTensor() && a.value.toTensor().defined(); }

Computation changing_tensors(std::string name, Change change) {
  Computation mutant{.name = std::move(name)};
  mutant.change_call = [change](Call& call) {
    for (Argument& a : call.arguments)
      if (is_data(a) && !a.number_for_tensor) a.value = change(a.value.toTensor());
  };
  return mutant;
}

Computation changing_argument(std::string name, size_t argument, Change change) {
  Computation mutant{.name = std::move(name)};
  mutant.change_call = [argument, change](Call& call) {
    Argument& a = call.arguments[argument];
    if (is_data(a)) a.value = change(a.value.toTensor());
  };
  return mutant;
}

Computation ignoring(const std::string& name, size_t argument, const c10::IValue& otherwise) {
  Computation mutant{.name = "ignores " + name};
  mutant.change_call = [argument, otherwise](Call& call) {
    call.arguments[argument].value = otherwise;
    if (otherwise.isNone()) call.arguments[argument].kind = ArgumentKind::none;
  };
  return mutant;
}

// The first two tensors, where they have the same shape.
void swap_operands(Call& call) {
  std::vector<Argument*> tensors;
  for (Argument& a : call.arguments)
    if (is_data(a)) tensors.push_back(&a);
  if (tensors.size() < 2) return;
  const at::Tensor first = tensors[0]->value.toTensor(), second = tensors[1]->value.toTensor();
  if (first.sizes() != second.sizes() || first.scalar_type() != second.scalar_type()) return;
  tensors[0]->value = second;
  tensors[1]->value = first;
}

}  // namespace

std::vector<Computation> call_mutants(const std::vector<const Call*>& calls) {
  std::vector<Computation> mutants;
  if (calls.empty()) return mutants;
  const auto& parameters = parsed_schema(calls.front()->task->schema).arguments();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Argument& argument = calls.front()->arguments[i];
    const std::string& name = parameters[i].name();
    if (parameters[i].default_value() && name != "device" && !argument.is_out)
      mutants.push_back(ignoring(name, i, *parameters[i].default_value()));
    if (argument.is_out || std::none_of(calls.begin(), calls.end(), [&](const Call* c) { return is_data(c->arguments[i]); }))
      continue;
    mutants.push_back(changing_argument(fmt::format("reads {} as zeros", name), i, zeros));
    mutants.push_back(changing_argument(fmt::format("reads the rows of {} backwards", name), i, flipped));
  }
  mutants.push_back(changing_tensors("ignores strides", without_strides));
  mutants.push_back(changing_tensors("reads NaN as 0", without_nan));
  mutants.push_back(changing_tensors("reads infinity as the largest number", without_infinity));
  mutants.push_back(changing_tensors("reads 1024 elements of a row", one_block));
  mutants.push_back({.name = "swaps the first two tensors", .change_call = swap_operands});
  mutants.push_back({.name = "does not write the last element", .change_output = last_missing});
  mutants.push_back({.name = "does not write beyond whole blocks of 16", .change_output = tail_missing});
  mutants.push_back({.name = "does not write into its arguments", .leaves_arguments = true});
  return mutants;
}

}  // namespace kbx
