// SPDX-License-Identifier: Apache-2.0
#include "catalogue/binding.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <fmt/format.h>

#include "catalogue/generate.h"
#include "catalogue/schema.h"

namespace kbx {
namespace {

using Kind = FieldValue::Kind;

bool is_word(const FieldValue& value, std::string_view word) { return value.kind == Kind::word && value.text == word; }

Error wants(std::string_view what, const FieldValue& value) {
  return Error{fmt::format("takes {}, not '{}'", what, value.text), ""};
}

Result<at::Tensor> tensor_of(const FieldValue& value, const TensorMaker& make, uint64_t key) {
  if (value.kind != Kind::recipe) return Error{fmt::format("takes a tensor, not '{}'", value.text), "write it as randn[2,3]"};
  if (Status checked = check_recipe(value.recipe); !checked) return checked.error();
  return make(value.recipe, key);
}

Result<c10::Scalar> number_of(const FieldValue& value) {
  if (value.is_integer()) return c10::Scalar(static_cast<int64_t>(std::stoll(value.text)));
  if (value.kind == Kind::number) return c10::Scalar(std::strtod(value.text.c_str(), nullptr));
  return wants("a number", value);
}

Result<int64_t> integer_of(const FieldValue& value) {
  if (!value.is_integer()) return wants("an integer", value);
  return static_cast<int64_t>(std::stoll(value.text));
}

Result<double> real_of(const FieldValue& value) {
  if (value.kind != Kind::number) return wants("a number", value);
  return std::strtod(value.text.c_str(), nullptr);
}

Result<bool> flag_of(const FieldValue& value) {
  if (is_word(value, "true")) return true;
  if (is_word(value, "false")) return false;
  return wants("true or false", value);
}

// A list, or one value that stands for the schema's length of it ("int[2] stride=1").
template <typename T>
Result<c10::IValue> list_of(const FieldValue& value, std::optional<int> length, Result<T> (*element)(const FieldValue&)) {
  std::vector<FieldValue> items = value.items;
  if (value.kind != Kind::list) items.assign(length.value_or(1), value);
  if (value.kind == Kind::list && length && *length > 1 && items.size() != static_cast<size_t>(*length))
    return Error{fmt::format("takes {} values, not {}", *length, items.size()), ""};
  c10::List<T> list;
  for (const FieldValue& item : items) {
    Result<T> one = element(item);
    if (!one) return one.error();
    list.push_back(*one);
  }
  return c10::IValue(std::move(list));
}

template <typename T>
Result<c10::IValue> as_value(Result<T> result) {
  if (!result) return result.error();
  return c10::IValue(std::move(*result));
}

Result<c10::IValue> value_of(const c10::Argument& parameter, const FieldValue& value, const TensorMaker& make, uint64_t key) {
  switch (kind_of(parameter)) {
    case ArgumentKind::tensor:
      return as_value(tensor_of(value, make, key));
    case ArgumentKind::tensor_list: {
      if (value.kind != Kind::list) return wants("a list of tensors", value);
      c10::List<at::Tensor> list;
      for (const FieldValue& item : value.items) {
        Result<at::Tensor> one = tensor_of(item, make, mix(key, list.size()));
        if (!one) return one.error();
        list.push_back(*one);
      }
      return c10::IValue(std::move(list));
    }
    case ArgumentKind::boolean:
      return as_value(flag_of(value));
    case ArgumentKind::integer:
      return as_value(integer_of(value));
    case ArgumentKind::real:
      // A Scalar keeps what was written, a float is a float.
      return takes_any_number(parameter) ? as_value(number_of(value)) : as_value(real_of(value));
    case ArgumentKind::text:
      if (value.kind != Kind::word) return wants("a word", value);
      return c10::IValue(value.text);
    case ArgumentKind::dtype: {
      auto dtype = dtype_named(value.text);
      if (!dtype) return Error{fmt::format("'{}' is no dtype", value.text), dtype_names()};
      return c10::IValue(static_cast<int64_t>(*dtype));
    }
    case ArgumentKind::device:
      if (!is_word(value, "cuda")) return wants("cuda", value);
      return c10::IValue(at::Device(at::kCPU));  // bind() puts the real one
    case ArgumentKind::int_list:
      return list_of<int64_t>(value, parameter.N(), integer_of);
    case ArgumentKind::real_list:
      return list_of<double>(value, parameter.N(), real_of);
    case ArgumentKind::bool_list:
      return list_of<bool>(value, parameter.N(), flag_of);
    case ArgumentKind::none:
      break;
  }
  return Error{"cannot be given in a case", ""};
}

Result<Argument> bind_one(const c10::Argument& parameter, const FieldValue& value, const TensorMaker& make) {
  Argument argument = describe(parameter);
  argument.kind = kind_of(parameter);
  if (is_word(value, "none") && is_optional(parameter)) {
    argument.kind = ArgumentKind::none;
    return argument;
  }
  if (argument.is_out && is_word(value, "like")) {
    argument.value = at::Tensor();
    return argument;
  }
  if (argument.kind == ArgumentKind::tensor && value.kind == Kind::number) {
    argument.number_for_tensor = true;
    argument.value = at::native::wrapped_scalar_tensor(number_of(value).value());
    return argument;
  }
  Result<c10::IValue> made = value_of(parameter, value, make, mix(0, parameter.name()));
  if (!made) return made.error();
  argument.value = std::move(*made);
  return argument;
}

std::string parameter_names(const c10::FunctionSchema& schema) {
  std::string names;
  for (const c10::Argument& parameter : schema.arguments()) names += (names.empty() ? "" : ", ") + parameter.name();
  return names;
}

// How many of the fields are positional.
Result<size_t> positional_count(const c10::FunctionSchema& schema, const CaseText& text) {
  const auto& parameters = schema.arguments();
  size_t count = 0;
  while (count < text.fields.size() && count < parameters.size()) {
    const CaseField& field = text.fields[count];
    bool in_order = field.name == parameters[count].name() && !parameters[count].kwarg_only();
    bool wanted = text.has_star ? !field.after_star : !parameters[count].default_value().has_value();
    if (!wanted) break;
    if (!in_order && text.has_star)
      return Error{fmt::format("{}: before '*' the arguments come in the schema's order", field.name),
                   parameters[count].kwarg_only() ? "only keywords follow" : "next is " + parameters[count].name()};
    if (!in_order) break;
    ++count;
  }
  return count;
}

}  // namespace

Result<std::vector<Argument>> bind_fields(const c10::FunctionSchema& schema, const CaseText& text, const TensorMaker& make) {
  Result<size_t> positional = positional_count(schema, text);
  if (!positional) return positional.error();
  for (const CaseField& field : text.fields)
    if (!schema.argumentIndexWithName(field.name))
      return Error{fmt::format("{}: {} has no such argument", field.name, schema.name()), "it takes " + parameter_names(schema)};

  std::vector<Argument> arguments;
  for (const c10::Argument& parameter : schema.arguments()) {
    size_t index = 0;
    while (index < text.fields.size() && text.fields[index].name != parameter.name()) ++index;
    if (index == text.fields.size()) {
      if (!parameter.default_value())
        return Error{fmt::format("{}: is missing", parameter.name()), fmt::format("{} requires it", schema.name())};
      Argument argument = describe(parameter);
      argument.value = *parameter.default_value();
      argument.kind = argument.value.isNone() ? ArgumentKind::none : kind_of(parameter);
      arguments.push_back(std::move(argument));
      continue;
    }
    Result<Argument> bound = bind_one(parameter, text.fields[index].value, make);
    if (!bound) return Error{fmt::format("{}: {}", parameter.name(), bound.error().message), bound.error().remedy};
    bound->given = index < *positional ? Given::positional : Given::keyword;
    arguments.push_back(std::move(*bound));
  }
  return arguments;
}

}  // namespace kbx
