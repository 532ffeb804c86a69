// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/task.h"

namespace kbx {

// The logit of the input clamped to [eps, 1 - eps], where both bounds are rounded to the type that the input has in the
// call itself: with eps = 1e-6 that moves the clamped end by 1e-3 in float32.
Values logit_oracle(const Args& args);

}  // namespace kbx
