// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/task.h"

namespace kbx {

// The scheme of matmul_w8a8 in exact arithmetic: quotients, integer sums and scales in float64, whatever the inputs' type.
Values w8a8_matmul_oracle(const Args& args);

}  // namespace kbx
