// SPDX-License-Identifier: Apache-2.0
// Variants and mutants of single tasks that no change of an ATen call gives: written by hand, and few.
#pragma once

#include <string_view>
#include <vector>

#include "selfcheck/check.h"
#include "selfcheck/computation.h"

namespace kbx {

std::vector<Computation> written_variants(std::string_view task, Kind kind);

}  // namespace kbx
