// SPDX-License-Identifier: Apache-2.0
#include "oracle/evaluation.h"

#include <ATen/Context.h>
#include <ATen/core/List.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <mutex>

#include "catalogue/layout.h"
#include "catalogue/schema.h"
#include "core/check.h"

namespace kbx {
namespace {

bool carries_precision(const at::Tensor& t) { return t.defined() && (t.is_floating_point() || t.is_complex()); }

at::Tensor cast_tensor(const at::Tensor& t, at::ScalarType precision) {
  if (!carries_precision(t)) return t;
  return t.to(t.is_complex() ? c10::toComplexType(precision) : precision);
}

bool bitwise_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  // A copy: one element is contiguous whatever its stride, but cannot be viewed as bytes with any.
  const auto bytes = [](const at::Tensor& t) { return t.clone(at::MemoryFormat::Contiguous).view(-1).view(at::kByte); };
  return at::equal(bytes(a), bytes(b));
}

// Calls `visit` on every tensor of the arguments; what it returns takes the tensor's place.
template <typename Visit>
void replace_tensors(Call& call, const Visit& visit) {
  for (Argument& argument : call.arguments) {
    if (argument.value.isTensor()) {
      if (argument.value.toTensor().defined()) argument.value = visit(argument, argument.value.toTensor());
    } else if (argument.value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& t : argument.value.toTensorVector()) list.push_back(visit(argument, t));
      argument.value = list;
    }
  }
}

// Type promotion treats a number given for a tensor as a number.
at::Tensor like_number(const at::Tensor& value, const at::Tensor& original) {
  if (!original.unsafeGetTensorImpl()->is_wrapped_number() || value.unsafeGetTensorImpl()->is_wrapped_number()) return value;
  at::Tensor number = value.clone();
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  return number;
}

bool is_number(const Argument& argument) { return argument.kind == ArgumentKind::real && argument.value.isScalar(); }

bool is_written(const Argument& argument) { return argument.may_be_written || argument.is_out; }

// What torch warns of on its arguments was put into the case on purpose, and would be printed with every call.
class Silence final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

}  // namespace

at::Device device_of(const Call& call) {
  for (const Argument& argument : call.arguments) {
    if (argument.value.isDevice()) return argument.value.toDevice();
    if (argument.value.isTensor() && argument.value.toTensor().defined() && !argument.value.toTensor().is_cpu())
      return argument.value.toTensor().device();
    if (argument.value.isTensorList())
      for (const at::Tensor& t : argument.value.toTensorVector())
        if (!t.is_cpu()) return t.device();
  }
  return at::kCPU;
}

void seed_generators(at::Device device, uint64_t seed) {
  for (const at::Device& d : {at::Device(at::kCPU), device}) {
    at::Generator generator = at::globalContext().defaultGenerator(d);
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
  }
}

Inputs map_floating(const Inputs& inputs, const std::function<at::Tensor(const at::Tensor&)>& change) {
  Inputs changed;
  changed.reserve(inputs.size());
  for (const at::Tensor& t : inputs) changed.push_back(carries_precision(t) ? change(t) : t);
  return changed;
}

Inputs cast_to(const Inputs& inputs, at::ScalarType precision) {
  return map_floating(inputs, [&](const at::Tensor& t) { return cast_tensor(t, precision); });
}

// What one run of the reference left behind.
struct Evaluation::Run {
  Values returned;
  std::vector<at::Tensor> arguments;  // by argument; undefined where it is not written
  std::vector<bool> shares_input;     // by returned value
};

Evaluation::Evaluation(const Call& call) : call_(call) {
  device_ = device_of(call);
  Call scan = call;
  replace_tensors(scan, [&](const Argument& argument, const at::Tensor& t) {
    if (!argument.is_out) inputs_.push_back(t);
    return t;
  });
  inputs_are_numbers_ = inputs_.empty();
  if (!inputs_are_numbers_) return;
  for (const Argument& argument : call.arguments)
    if (is_number(argument)) inputs_.push_back(at::scalar_tensor(argument.value.toScalar().toDouble(), at::kDouble));
}

bool Evaluation::is_in(at::ScalarType precision) const {
  for (const Argument& argument : call_.arguments)
    if (argument.kind == ArgumentKind::dtype && !argument.value.isNone()) return false;
  for (const at::Tensor& t : inputs_)
    if (carries_precision(t) && c10::toRealValueType(t.scalar_type()) != precision) return false;
  return true;
}

Evaluation::Run Evaluation::run(Values (*function)(const Args&), Call call) const {
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard quiet(&silence);
  // Tensors of its own, also where nothing is to be written: some of torch's solvers write into their input.
  replace_tensors(call, [](const Argument&, const at::Tensor& t) { return copy_with_layout(t); });
  seed_generators(device_, call.seed);
  Run run;
  run.returned = function(Args(call));
  for (const at::Tensor& value : run.returned) {
    bool shares = false;
    replace_tensors(call, [&](const Argument&, const at::Tensor& t) {
      shares |= value.defined() && t.is_alias_of(value);
      return t;
    });
    run.shares_input.push_back(shares);
  }
  for (const Argument& argument : call.arguments)
    run.arguments.push_back(is_written(argument) && argument.value.isTensor() ? argument.value.toTensor() : at::Tensor());
  return run;
}

bool Evaluation::has_real_inputs() const { return std::any_of(inputs_.begin(), inputs_.end(), carries_precision); }

std::vector<at::Tensor> Evaluation::own(Values (*function)(const Args&)) {
  Run result = run(function ? function : call_.task->reference, call_);
  const auto& returns = parsed_schema(call_.task->schema).returns();
  slots_.clear();
  std::vector<bool> taken(result.arguments.size());
  for (size_t i = 0; i < result.returned.size(); ++i) {
    Slot slot{.name = i < returns.size() ? returns[i].name() : "", .returned = static_cast<int>(i)};
    slot.shares_input = result.shares_input[i];
    if (slot.name.empty()) slot.name = result.returned.size() == 1 ? "result" : "result" + std::to_string(i);
    for (size_t a = 0; a < result.arguments.size(); ++a) {
      if (!result.arguments[a].defined() || !result.arguments[a].is_alias_of(result.returned[i])) continue;
      slot.argument = static_cast<int>(a);
      slot.name = call_.arguments[a].name;
      taken[a] = true;
    }
    slots_.push_back(slot);
  }
  for (size_t a = 0; a < result.arguments.size(); ++a) {
    if (!result.arguments[a].defined() || taken[a]) continue;
    const Argument& argument = call_.arguments[a];
    const bool changed = argument.is_out || !bitwise_equal(argument.value.toTensor(), result.arguments[a]);
    slots_.push_back({.name = argument.name, .argument = static_cast<int>(a), .changed = changed});
  }
  std::vector<at::Tensor> outputs;
  for (const Slot& slot : slots_)
    outputs.push_back(slot.returned >= 0 ? result.returned[slot.returned] : result.arguments[slot.argument]);
  return outputs;
}

std::vector<at::Tensor> Evaluation::in_precision(Values (*function)(const Args&), const Inputs& inputs,
                                                 at::ScalarType precision) const {
  KBX_CHECK_EQ(inputs.size(), inputs_.size());
  Call call = call_;
  size_t next = 0;
  replace_tensors(call, [&](const Argument& argument, const at::Tensor& t) {
    return like_number(cast_tensor(argument.is_out ? t : inputs[next++], precision), t);
  });
  if (inputs_are_numbers_)
    for (Argument& argument : call.arguments)
      if (is_number(argument)) argument.value = inputs[next++].item();
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const c10::IValue& own = call_.arguments[i].value;
    if (own.isTensor() && own.toTensor().defined()) call.arguments[i].own_type = own.toTensor().scalar_type();
  }
  for (Argument& argument : call.arguments) {
    if (argument.kind != ArgumentKind::dtype || !argument.value.isInt()) continue;
    const auto type = static_cast<at::ScalarType>(argument.value.toInt());
    if (c10::isFloatingType(type)) argument.value = static_cast<int64_t>(precision);
    if (c10::isComplexType(type)) argument.value = static_cast<int64_t>(c10::toComplexType(precision));
  }
  Run result = run(function, std::move(call));
  std::vector<at::Tensor> outputs;
  for (const Slot& slot : slots_) {
    const bool fresh = slot.returned >= 0;
    KBX_CHECK(!fresh || static_cast<size_t>(slot.returned) < result.returned.size());
    outputs.push_back(fresh ? result.returned[slot.returned] : result.arguments[slot.argument]);
  }
  return outputs;
}

}  // namespace kbx
