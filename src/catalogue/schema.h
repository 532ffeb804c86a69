// SPDX-License-Identifier: Apache-2.0
// Torch operator schemas as the catalogue reads them.
#pragma once

#include <ATen/core/function_schema.h>

#include <string_view>

#include "catalogue/call.h"

namespace kbx {

// The parsed schema; parsed once a process and text, never freed. Any thread. Throws c10::Error if it does not parse.
const c10::FunctionSchema& parsed_schema(std::string_view schema);

// What a value of this schema type is to a candidate. `none` for Generator and Layout: no case can give them.
ArgumentKind kind_of(const c10::Argument& argument);

// The value may be None.
bool is_optional(const c10::Argument& argument);

// The schema says Scalar: an integer stays one.
bool takes_any_number(const c10::Argument& argument);

// An Argument without a value: names and flags as the schema says.
Argument describe(const c10::Argument& argument);

// A call of `schema` with these values in schema order, as the dispatcher holds them.
Call call_from_values(const Task& task, std::vector<c10::IValue> values);

}  // namespace kbx
