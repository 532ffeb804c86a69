// SPDX-License-Identifier: Apache-2.0
#include "selfcheck/interposer.h"

#include <ATen/ops/empty_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <array>

#include "core/check.h"

namespace kbx {
namespace {

constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;
thread_local const Rewriter* active = nullptr;

std::string base_of(const std::string& name) {
  std::string base = name.substr(name.find("::") + 2);
  if (base.size() > 1 && base.back() == '_') base.pop_back();
  return base;
}

// Operators that write arguments which their schema does not mark.
bool is_running_statistic(const c10::Argument& argument) {
  return argument.name() == "running_mean" || argument.name() == "running_var";
}

bool is_marked(const c10::Argument& argument) { return argument.alias_info() && argument.alias_info()->isWrite(); }

bool is_view(const c10::FunctionSchema& schema) {
  for (const c10::Argument& result : schema.returns())
    if (result.alias_info() && !result.alias_info()->isWrite()) return true;
  return false;
}

bool is_defined_tensor(const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); }

// The argument that a result is, by the schema; -1 for a fresh one.
int aliased_argument(const c10::FunctionSchema& schema, size_t result) {
  const c10::AliasInfo* alias = schema.returns()[result].alias_info();
  if (!alias || !alias->isWrite()) return -1;
  for (size_t a = 0; a < schema.arguments().size(); ++a)
    if (is_marked(schema.arguments()[a]) && schema.arguments()[a].alias_info()->beforeSets() == alias->beforeSets())
      return static_cast<int>(a);
  return -1;
}

void overwrite(const at::Tensor& destination, const at::Tensor& value) {
  if (destination.is_same(value)) return;
  if (destination.sizes() != value.sizes()) destination.resize_(value.sizes());
  destination.copy_(value);
}

}  // namespace

Operation::Operation(const c10::OperatorHandle& handle, std::vector<c10::IValue> arguments)
    : handle_(handle), arguments_(std::move(arguments)), base_(base_of(handle.schema().name())) {}

bool Operation::is_composite() const { return handle_.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd); }

bool Operation::moves_only() const {
  static constexpr std::array kMovers = {"copy",
                                         "_to_copy",
                                         "clone",
                                         "contiguous",
                                         "empty",
                                         "empty_like",
                                         "empty_strided",
                                         "resize",
                                         "to",
                                         "item",
                                         "_local_scalar_dense",
                                         "zeros",
                                         "ones",
                                         "full",
                                         "arange",
                                         "zeros_like",
                                         "ones_like",
                                         "full_like",
                                         "zero",
                                         "fill",
                                         "set",
                                         "resolve_conj",
                                         "resolve_neg",
                                         "scalar_tensor",
                                         "eye",
                                         "new_empty",
                                         "new_zeros",
                                         "new_ones",
                                         "new_full",
                                         "reshape",
                                         "flatten",
                                         "is_nonzero",
                                         "detach",
                                         "resize_as",
                                         "size"};
  if (is_view(schema())) return true;
  for (const char* mover : kMovers)
    if (base_ == mover) return true;
  return false;
}

int Operation::find(std::string_view name) const {
  const auto& parameters = schema().arguments();
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name() == name) return static_cast<int>(i);
  return -1;
}

c10::IValue Operation::value(std::string_view name) const {
  const int position = find(name);
  return position < 0 ? c10::IValue() : arguments_[position];
}

std::optional<at::Tensor> Operation::tensor(std::string_view name) const {
  const c10::IValue found = value(name);
  if (!is_defined_tensor(found)) return std::nullopt;
  return found.toTensor();
}

Operation Operation::with(size_t position, c10::IValue value) const {
  Operation changed = *this;
  changed.arguments_.at(position) = std::move(value);
  return changed;
}

Operation Operation::with(std::string_view name, c10::IValue value) const {
  const int position = find(name);
  KBX_CHECK(position >= 0);
  return with(static_cast<size_t>(position), std::move(value));
}

std::optional<Operation> Operation::renamed(std::string_view base) const {
  const bool in_place = schema().name().back() == '_';
  const std::string name = "aten::" + std::string(base) + (in_place ? "_" : "");
  const auto other = c10::Dispatcher::singleton().findSchema({name, schema().overload_name()});
  if (!other || other->schema().arguments().size() != arguments_.size()) return std::nullopt;
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (*other->schema().arguments()[i].type() != *schema().arguments()[i].type()) return std::nullopt;
  return Operation(*other, arguments_);
}

bool Operation::is_written(size_t argument) const {
  const c10::Argument& parameter = schema().arguments()[argument];
  return is_marked(parameter) || is_running_statistic(parameter);
}

Results Operation::run() const {
  torch::jit::Stack stack = arguments_;
  for (size_t i = 0; i < stack.size(); ++i)
    if (is_written(i) && is_defined_tensor(stack[i])) stack[i] = stack[i].toTensor().clone();
  const torch::jit::Stack written = stack;
  handle_.callBoxed(stack);
  Results results(stack.begin(), stack.end());
  // What is written but not returned comes after the returns.
  for (size_t i = 0; i < written.size(); ++i) {
    if (!is_written(i) || !is_defined_tensor(written[i])) continue;
    bool returned = false;
    for (size_t r = 0; r < schema().returns().size(); ++r) returned |= aliased_argument(schema(), r) == static_cast<int>(i);
    if (!returned) results.push_back(written[i]);
  }
  return results;
}

void Interposer::give_back(const Operation& operation, const Results& results, torch::jit::Stack& stack) {
  const c10::FunctionSchema& schema = operation.schema();
  torch::jit::drop(stack, operation.arguments().size());
  std::vector<bool> done(operation.arguments().size());
  const size_t returns = schema.returns().size();
  for (size_t r = 0; r < returns; ++r) {
    const int argument = aliased_argument(schema, r);
    if (argument < 0 || !is_defined_tensor(operation.arguments()[argument])) {
      stack.push_back(results.at(r));
      continue;
    }
    overwrite(operation.arguments()[argument].toTensor(), results.at(r).toTensor());
    stack.push_back(operation.arguments()[argument]);
    done[argument] = true;
  }
  size_t next = returns;
  for (size_t i = 0; i < operation.arguments().size(); ++i)
    if (!done[i] && operation.is_written(i) && is_defined_tensor(operation.arguments()[i]) && next < results.size())
      overwrite(operation.arguments()[i].toTensor(), results[next++].toTensor());
}

void Interposer::intercept(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto arguments = torch::jit::last(*stack, handle.schema().arguments().size());
  const Operation operation(handle, arguments.vec());
  {
    const c10::impl::ExcludeDispatchKeyGuard off(kKey);
    if (const std::optional<Results> results = (*active)(operation)) {
      give_back(operation, *results, *stack);
      return;
    }
  }
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey);
  if (operation.is_composite()) {
    handle.redispatchBoxed(below, stack);
    return;
  }
  const c10::impl::ExcludeDispatchKeyGuard off(kKey);
  handle.redispatchBoxed(below, stack);
}

Interposer::Interposer(const Rewriter& rewriter) {
  static const auto* fallback = [] {
    auto* library = new torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
    library->fallback(torch::CppFunction::makeFromBoxedFunction<&Interposer::intercept>());
    return library;
  }();
  static_cast<void>(fallback);
  KBX_CHECK(active == nullptr);
  active = &rewriter;
  c10::impl::tls_set_dispatch_key_included(kKey, true);
}

Interposer::~Interposer() {
  c10::impl::tls_set_dispatch_key_included(kKey, false);
  active = nullptr;
}

std::optional<at::Tensor> only_tensor(const Results& results) {
  if (results.size() != 1 || !is_defined_tensor(results[0])) return std::nullopt;
  return results[0].toTensor();
}

}  // namespace kbx
