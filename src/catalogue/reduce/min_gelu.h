// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/task.h"

namespace kbx {

// The GELU has a flat minimum, where elements that differ have values that do not: for each row the indices that arithmetic
// of the input's type may take for the smallest.
Values smallest_gelus(const Args& args);

}  // namespace kbx
