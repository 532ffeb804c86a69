// SPDX-License-Identifier: Apache-2.0
#include "catalogue/schema.h"

#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "catalogue/task.h"
#include "core/check.h"

namespace kbx {
namespace {

c10::TypePtr without_optional(const c10::TypePtr& type) {
  auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

ArgumentKind scalar_kind(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
      return ArgumentKind::tensor;
    case c10::TypeKind::BoolType:
      return ArgumentKind::boolean;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return ArgumentKind::integer;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::NumberType:
      return ArgumentKind::real;
    case c10::TypeKind::StringType:
      return ArgumentKind::text;
    case c10::TypeKind::ScalarTypeType:
      return ArgumentKind::dtype;
    case c10::TypeKind::DeviceObjType:
      return ArgumentKind::device;
    default:
      return ArgumentKind::none;
  }
}

ArgumentKind list_kind(ArgumentKind element) {
  switch (element) {
    case ArgumentKind::tensor:
      return ArgumentKind::tensor_list;
    case ArgumentKind::boolean:
      return ArgumentKind::bool_list;
    case ArgumentKind::integer:
      return ArgumentKind::int_list;
    case ArgumentKind::real:
      return ArgumentKind::real_list;
    default:
      return ArgumentKind::none;
  }
}

}  // namespace

const c10::FunctionSchema& parsed_schema(std::string_view schema) {
  static std::mutex mutex;
  static auto* parsed = new std::map<std::string, std::unique_ptr<c10::FunctionSchema>, std::less<>>;
  std::lock_guard lock(mutex);
  auto found = parsed->find(schema);
  if (found == parsed->end()) {
    auto made = std::make_unique<c10::FunctionSchema>(torch::jit::parseSchema(std::string(schema)));
    found = parsed->emplace(std::string(schema), std::move(made)).first;
  }
  return *found->second;
}

bool is_optional(const c10::Argument& argument) { return argument.type()->kind() == c10::TypeKind::OptionalType; }

ArgumentKind kind_of(const c10::Argument& argument) {
  // The parser turns ScalarType, Layout and the like into int; the real type keeps what was written.
  c10::TypePtr type = without_optional(argument.real_type());
  if (auto list = type->cast<c10::ListType>()) return list_kind(scalar_kind(*list->getElementType()));
  return scalar_kind(*type);
}

bool takes_any_number(const c10::Argument& argument) {
  return without_optional(argument.real_type())->kind() == c10::TypeKind::NumberType;
}

Argument describe(const c10::Argument& argument) {
  Argument described;
  described.name = argument.name();
  described.may_be_written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  described.is_out = argument.kwarg_only() && described.may_be_written;
  return described;
}

Call call_from_values(const Task& task, std::vector<c10::IValue> values) {
  const auto& parameters = parsed_schema(task.schema).arguments();
  KBX_CHECK_EQ(parameters.size(), values.size());
  Call call;
  call.task = &task;
  call.arguments.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    Argument argument = describe(parameters[i]);
    argument.kind = values[i].isNone() ? ArgumentKind::none : kind_of(parameters[i]);
    argument.value = std::move(values[i]);
    argument.given = parameters[i].kwarg_only() ? Given::keyword : Given::positional;
    call.arguments.push_back(std::move(argument));
  }
  return call;
}

}  // namespace kbx
