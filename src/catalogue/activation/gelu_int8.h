// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/task.h"

namespace kbx {

// The GELU of integers in float64, without its fraction.
Values gelu_int8_oracle(const Args& args);
// Both neighbours of an integer to which the GELU is so near that float32 arithmetic decides.
Values gelu_int8_neighbours(const Args& args);

}  // namespace kbx
