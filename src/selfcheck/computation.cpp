// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/computation.h"

#include <ATen/core/List.h>
#include <ATen/ops/equal.h>

#include "contracts/rounding.h"
#include "oracle/evaluation.h"
#include "oracle/precise_scope.h"

namespace kbx {
namespace {

bool carries_precision(const at::Tensor& t) { return t.defined() && (t.is_floating_point() || t.is_complex()); }

at::ScalarType of_kind(at::ScalarType type, at::ScalarType precision) {
  return c10::isComplexType(type) ? c10::toComplexType(precision) : precision;
}

// Keeps that a number stands for a tensor, which decides the types of results.
at::Tensor changed(const at::Tensor& t, const std::function<at::Tensor(const at::Tensor&)>& change) {
  if (!carries_precision(t)) return t;
  at::Tensor value = change(t);
  if (t.unsafeGetTensorImpl()->is_wrapped_number()) {
    if (value.is_same(t)) value = value.clone();
    value.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return value;
}

void change_tensors(Call& call, bool out_too, const std::function<at::Tensor(const at::Tensor&)>& change) {
  for (Argument& argument : call.arguments) {
    if (argument.is_out && !out_too) continue;
    if (argument.value.isTensor()) {
      argument.value = changed(argument.value.toTensor(), change);
    } else if (argument.value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : argument.value.toTensorVector()) list.push_back(changed(t, change));
      argument.value = list;
    }
  }
}

void change_precision(Call& call, at::ScalarType precision) {
  change_tensors(call, true, [&](const at::Tensor& t) { return t.to(of_kind(t.scalar_type(), precision)); });
  for (Argument& argument : call.arguments) {
    if (argument.kind != ArgumentKind::dtype || !argument.value.isInt()) continue;
    const auto type = static_cast<at::ScalarType>(argument.value.toInt());
    if (c10::isFloatingType(type) || c10::isComplexType(type)) argument.value = static_cast<int64_t>(of_kind(type, precision));
  }
}

// From the precision that it was computed in to the type that is due, by one rounding.
at::Tensor rounded(const at::Tensor& value, at::ScalarType due) {
  if (value.scalar_type() == due) return value;
  if (value.scalar_type() == at::kDouble && has_float_format(due)) return round_to(value, due).to(due);
  return value.to(due);
}

Delivery deliver_once(const Call& original, const Expected& expected, const Computation& c, uint64_t seed) {
  Call call = original.clone();
  call.seed = seed;
  if (c.change_call) c.change_call(call);
  if (c.change_input) change_tensors(call, false, c.change_input);
  if (c.precision) change_precision(call, *c.precision);
  seed_generators(device_of(call), call.seed);
  const auto function = c.function ? c.function : original.task->reference;
  Values returned;
  if (c.rewrite) {
    const Interposer interposer(c.rewrite);
    returned = function(Args(call));
  } else {
    returned = function(Args(call));
  }
  Delivery delivery;
  for (const Truth& truth : expected.outputs) {
    at::Tensor value;
    if (truth.argument >= 0)
      value = (c.leaves_arguments ? original : call).arguments[truth.argument].value.toTensor();
    else if (static_cast<size_t>(truth.returned) < returned.size())
      value = returned[truth.returned];
    if (value.defined() && c.change_output) value = c.change_output(value);
    if (value.defined() && c.precision) value = rounded(value, truth.dtype);
    delivery.push_back({value, value.defined() ? "" : "nothing"});
  }
  return delivery;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (a.defined() != b.defined()) return false;
  if (!a.defined()) return true;
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  const auto bytes = [](const at::Tensor& t) {
    return t.resolve_conj().clone(at::MemoryFormat::Contiguous).view(-1).view(at::kByte);
  };
  return a.numel() == 0 || at::equal(bytes(a), bytes(b));
}

}  // namespace

std::vector<Delivery> deliver(const Call& call, const Expected& expected, const Computation& computation) {
  const PreciseScope precise;  // also takes the settings back
  if (computation.settings) computation.settings();
  std::vector<Delivery> deliveries;
  for (const uint64_t seed : seeds_to_call(*call.task, call.seed))
    deliveries.push_back(deliver_once(call, expected, computation, seed));
  return deliveries;
}

bool same_bits(const std::vector<Delivery>& a, const std::vector<Delivery>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    for (size_t j = 0; j < a[i].size(); ++j)
      if (!same_bits(a[i][j].value, b[i][j].value)) return false;
  }
  return true;
}

}  // namespace kbx
