// SPDX-License-Identifier: Apache-2.0
#include "native/reference.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "native/cuda_segments.h"
#include "native/timing.h"
#include "protocol/native_call.h"
#include "protocol/torch_dtypes.h"

namespace kbx::runner {
namespace {

at::Tensor tensor_at(const PlacedTensor& tensor) {
  const auto dtype = wire::dtype_for_torch(tensor.meta.dtype);
  if (!dtype) throw Failure{wire::FailedAt::unsupported, "dtype", "a dtype that torch does not have"};
  const at::Device device = tensor.meta.device == 0 ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
  return at::from_blob(tensor.data, tensor.meta.sizes, tensor.meta.strides, at::TensorOptions().dtype(*dtype).device(device));
}

// An argument as the schema has it: a list of booleans, say, is a bool[] or nothing.
c10::IValue to_ivalue(const Argument& argument) {
  struct Convert {
    c10::IValue operator()(const None&) const { return {}; }
    c10::IValue operator()(bool v) const { return v; }
    c10::IValue operator()(int64_t v) const { return v; }
    c10::IValue operator()(double v) const { return v; }
    c10::IValue operator()(const std::string& v) const { return v; }
    c10::IValue operator()(const wire::DType& v) const {
      const auto dtype = wire::dtype_for_torch(v);
      if (!dtype) throw Failure{wire::FailedAt::unsupported, "dtype", "a dtype that torch does not have"};
      return static_cast<int64_t>(*dtype);
    }
    c10::IValue operator()(const PlacedTensor& v) const { return tensor_at(v); }
    c10::IValue operator()(const std::vector<int64_t>& v) const { return c10::List<int64_t>(c10::IntArrayRef(v)); }
    c10::IValue operator()(const std::vector<double>& v) const { return c10::List<double>(c10::ArrayRef<double>(v)); }
    c10::IValue operator()(const std::vector<bool>& v) const {
      c10::List<bool> list;
      for (bool flag : v) list.push_back(flag);
      return list;
    }
    c10::IValue operator()(const std::vector<PlacedTensor>& v) const {
      c10::List<at::Tensor> list;
      for (const PlacedTensor& t : v) list.push_back(tensor_at(t));
      return list;
    }
  };
  return std::visit(Convert{}, argument);
}

// Arguments in schema order: named ones by name, positional ones in turn to what a native function takes, defaults for the rest.
std::vector<c10::IValue> bind(const c10::FunctionSchema& schema, const ArgumentSet& set) {
  std::vector<c10::IValue> values;
  std::vector<bool> given;
  for (const c10::Argument& a : schema.arguments()) {
    values.push_back(a.default_value().value_or(c10::IValue()));
    given.push_back(!is_native_argument(a.name()));
  }
  size_t next = 0;
  for (size_t i = 0; i < set.arguments.size(); ++i) {
    size_t to;
    if (!set.names[i].empty()) {
      to = static_cast<size_t>(schema.argumentIndexWithName(set.names[i]).value_or(-1));
    } else {
      while (next < given.size() && given[next]) ++next;
      to = next;
    }
    if (to >= values.size()) throw Failure{wire::FailedAt::bind, "arguments", "the reference does not take these arguments"};
    given[to] = true;
    values[to] = to_ivalue(set.arguments[i]);
  }
  return values;
}

// Copies a result to where the judge looks for it: all of it, or the first rows of a larger destination.
bool copy_to(const at::Tensor& value, at::Tensor destination) {
  if (value.scalar_type() != destination.scalar_type() || value.dim() != destination.dim()) return false;
  if (value.dim() > 0 && value.size(0) < destination.size(0)) destination = destination.narrow(0, 0, value.size(0));
  if (value.sizes() != destination.sizes()) return false;
  destination.copy_(value);
  return true;
}

// An undefined tensor is None: a result that the call does not ask for.
bool is_tensor(const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); }

wire::Leaf leaf_of(const c10::IValue& value) {
  wire::Leaf leaf;
  leaf.type = value.tagKind();
  if (is_tensor(value)) {
    leaf.kind = wire::Leaf::tensor;
    leaf.dtype = wire::dtype_of_torch(value.toTensor().scalar_type()).value_or(wire::DType{});
    leaf.sizes = value.toTensor().sizes().vec();
  } else if (value.isScalar()) {
    leaf.kind = wire::Leaf::number;
    leaf.value = value.toScalar().toDouble();
  } else {
    leaf.kind = value.isNone() || value.isTensor() ? wire::Leaf::none : wire::Leaf::other;
  }
  return leaf;
}

// Index + 1 of the tensor argument that shares the value's storage, 0 if none does.
uint8_t alias_of(const at::Tensor& value, const std::vector<c10::IValue>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].isTensor() && arguments[i].toTensor().is_alias_of(value)) return static_cast<uint8_t>(i + 1);
  return 0;
}

bool on_device(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().is_cuda();
  return value.isTensorList() && value.toTensorList().size() > 0 && value.toTensorList().get(0).is_cuda();
}

// What torch throws, as the judge hears it.
template <typename Work>
auto with_torch(Work&& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    throw Failure{wire::FailedAt::call, "torch", error.what()};
  }
}

}  // namespace

std::string ReferenceLibrary::load(const LoadOrder& order) {
  // The same for both sides: what the judge allows, one thread unless it says more.
  const char* threads = std::getenv("OMP_NUM_THREADS");
  at::set_num_threads(std::max(1, std::atoi(threads ? threads : "1")));
  if (dlopen(order.path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) throw Failure{wire::FailedAt::import, "dlopen", dlerror()};
  for (const std::string& entry : order.entries) {
    operator_ = c10::Dispatcher::singleton().findSchema({"kbx::" + entry, ""});
    if (operator_) return entry;
  }
  throw Failure{wire::FailedAt::bind, "no entry", "the reference library has no operator of these names"};
}

void ReferenceLibrary::prepare(ArgumentSet set) {
  if (!operator_) throw Failure{wire::FailedAt::unsupported, "protocol", "prepare before load"};
  const c10::InferenceMode inference;
  Bound bound;
  bound.arguments = bind(operator_->schema(), set);
  for (const PlacedTensor& destination : set.destinations) {
    bound.destinations.push_back(tensor_at(destination));
    if (destination.meta.device != 0) bound.on_device = true;
  }
  for (const c10::IValue& argument : bound.arguments)
    if (on_device(argument)) bound.on_device = true;
  // A factory makes its result where the calls are timed.
  const auto device = operator_->schema().argumentIndexWithName("device");
  if (device && bound.on_device && bound.arguments[static_cast<size_t>(*device)].isNone())
    bound.arguments[static_cast<size_t>(*device)] = at::Device(at::kCUDA, 0);
  sets_[set.number] = std::move(bound);
}

ReferenceLibrary::Bound& ReferenceLibrary::ready(uint32_t set) {
  const auto at = sets_.find(set);
  if (at == sets_.end()) throw Failure{wire::FailedAt::unsupported, "protocol", "a call without prepare"};
  return at->second;
}

std::vector<wire::Leaf> ReferenceLibrary::hand_out(const torch::jit::Stack& results, Bound& bound) {
  std::vector<wire::Leaf> leaves;
  size_t next = 0;
  for (const c10::IValue& value : results) {
    wire::Leaf leaf = leaf_of(value);
    if (is_tensor(value)) {
      leaf.aliases_argument = alias_of(value.toTensor(), bound.arguments);
      if (leaf.aliases_argument == 0 && next < bound.destinations.size())
        leaf.copied = copy_to(value.toTensor(), bound.destinations[next++]);
    }
    leaves.push_back(std::move(leaf));
  }
  if (bound.on_device) synchronise_device();  // the bytes are there when the answer is
  return leaves;
}

Callee::Outcome ReferenceLibrary::call(uint32_t set, uint64_t seed) {
  Bound& bound = ready(set);
  const c10::InferenceMode inference;
  return with_torch([&]() -> Outcome {
    at::manual_seed(seed);
    torch::jit::Stack stack = bound.arguments;
    const uint64_t nanoseconds = timed([&] {
      operator_->callBoxed(stack);
      if (bound.on_device) synchronise_device();
    });
    return {nanoseconds, hand_out(stack, bound)};
  });
}

std::vector<uint64_t> ReferenceLibrary::time(wire::Timing how, const std::vector<Call>& calls) {
  kept_.clear();
  std::vector<Kept> kept;
  bool on_device = false;
  for (const Call& call : calls) {
    const Bound& bound = ready(call.set);
    on_device = on_device || bound.on_device;
    kept.push_back({call.set, bound.arguments});
  }
  const c10::InferenceMode inference;
  return with_torch([&] {
    if (!calls.empty()) at::manual_seed(calls.front().seed);
    std::vector<uint64_t> claimed =
        time_calls(how, calls.size(), on_device, [&](size_t i) { operator_->callBoxed(kept[i].stack); });
    kept_ = std::move(kept);
    return claimed;
  });
}

std::vector<Callee::Outcome> ReferenceLibrary::deliver() {
  const std::vector<Kept> kept = std::exchange(kept_, {});
  const c10::InferenceMode inference;
  return with_torch([&] {
    std::vector<Outcome> outcomes;
    for (const Kept& k : kept) outcomes.push_back({0, hand_out(k.stack, ready(k.set))});
    return outcomes;
  });
}

}  // namespace kbx::runner
