// SPDX-License-Identifier: Apache-2.0
// Patterns in arguments that a call updates (running statistics, moments, parameters): the step that was taken against the one
// that was asked for.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "catalogue/call.h"
#include "core/verdict.h"
#include "diagnose/numeric_patterns.h"

namespace kbx {

// `before`: the argument's contents before the call, of the shape of values.actual; `name`: the argument's.
std::optional<Diagnosis> diagnose_update(const WrongValues& values, const at::Tensor& before, const std::string& name,
                                         const Call& call);

}  // namespace kbx
