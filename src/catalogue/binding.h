// SPDX-License-Identifier: Apache-2.0
// A case's fields against a task's schema: which argument each is, whether it is positional, what value it stands for.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "catalogue/call.h"
#include "catalogue/case_syntax.h"
#include "core/result.h"

namespace kbx {

// Makes the tensor of a checked recipe; `key` tells the recipes of a call apart.
using TensorMaker = std::function<at::Tensor(const Recipe& recipe, uint64_t key)>;

// Arguments in schema order with defaults filled in. `out=like` is left undefined. Error: names the field and what is allowed.
Result<std::vector<Argument>> bind_fields(const c10::FunctionSchema& schema, const CaseText& text, const TensorMaker& make);

}  // namespace kbx
