// SPDX-License-Identifier: Apache-2.0
// Patterns that need the reference: it is evaluated again on a changed call, and where that reproduces the candidate's
// wrong values, the change is what the candidate does (ignores an argument, reads strided memory as if contiguous,
// drops the end of a reduction).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <vector>

#include "catalogue/call.h"
#include "core/verdict.h"
#include "diagnose/numeric_patterns.h"

namespace kbx {

// The value of the same output for a changed call; nothing where the reference cannot do it. May be called about forty times.
using Reevaluate = std::function<std::optional<at::Tensor>(const Call&)>;

// To be put in front of diagnose_values. `call` is left unchanged.
std::vector<Diagnosis> diagnose_by_hypothesis(const WrongValues& values, const Call& call, const Reevaluate& evaluate);

}  // namespace kbx
