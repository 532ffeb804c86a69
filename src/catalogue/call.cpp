// SPDX-License-Identifier: Apache-2.0
#include "catalogue/call.h"

#include <ATen/core/List.h>

#include "catalogue/layout.h"
#include "core/check.h"

namespace kbx {
namespace {

c10::IValue copy_of(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() ? copy_with_layout(value.toTensor()) : value;
  if (value.isTensorList()) {
    c10::List<at::Tensor> copies;
    for (const at::Tensor& tensor : value.toTensorVector()) copies.push_back(copy_with_layout(tensor));
    return copies;
  }
  return value;
}

const Argument* find(const Call& call, std::string_view name) {
  for (const Argument& argument : call.arguments)
    if (argument.name == name) return &argument;
  return nullptr;
}

[[noreturn]] void bad_access(std::string_view name, const char* wanted, const c10::IValue& value) {
  check_failed(__FILE__, __LINE__,
               "argument '" + std::string(name) + "' is read as " + wanted + " but holds " + std::string(value.tagKind()));
}

}  // namespace

const Argument& Call::argument(std::string_view name) const {
  const Argument* found = find(*this, name);
  if (!found) check_failed(__FILE__, __LINE__, "no argument '" + std::string(name) + "' in " + line);
  return *found;
}

Call Call::clone() const {
  Call copy = *this;
  for (Argument& argument : copy.arguments) argument.value = copy_of(argument.value);
  return copy;
}

at::Tensor Args::tensor(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isTensor()) bad_access(name, "a tensor", value);
  return value.toTensor();
}

std::optional<at::Tensor> Args::maybe_tensor(std::string_view name) const {
  if (call_.argument(name).value.isNone()) return std::nullopt;
  return tensor(name);
}

at::ScalarType Args::own_type(std::string_view name) const {
  return call_.argument(name).own_type.value_or(tensor(name).scalar_type());
}

std::vector<at::Tensor> Args::tensors(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isTensorList()) bad_access(name, "a list of tensors", value);
  return value.toTensorVector();
}

int64_t Args::integer(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isInt()) bad_access(name, "an integer", value);
  return value.toInt();
}

std::optional<int64_t> Args::maybe_integer(std::string_view name) const {
  if (call_.argument(name).value.isNone()) return std::nullopt;
  return integer(name);
}

double Args::real(std::string_view name) const { return scalar(name).toDouble(); }

at::Scalar Args::scalar(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isScalar()) bad_access(name, "a number", value);
  return value.toScalar();
}

bool Args::flag(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isBool()) bad_access(name, "a truth value", value);
  return value.toBool();
}

std::string Args::text(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isString()) bad_access(name, "a string", value);
  return value.toStringRef();
}

std::optional<std::string> Args::maybe_text(std::string_view name) const {
  if (call_.argument(name).value.isNone()) return std::nullopt;
  return text(name);
}

std::vector<int64_t> Args::ints(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (!value.isIntList()) bad_access(name, "a list of integers", value);
  return value.toIntVector();
}

std::optional<std::vector<int64_t>> Args::maybe_ints(std::string_view name) const {
  if (call_.argument(name).value.isNone()) return std::nullopt;
  return ints(name);
}

std::optional<at::ScalarType> Args::maybe_dtype(std::string_view name) const {
  const c10::IValue& value = call_.argument(name).value;
  if (value.isNone()) return std::nullopt;
  if (!value.isInt()) bad_access(name, "a dtype", value);
  return static_cast<at::ScalarType>(value.toInt());
}

}  // namespace kbx
