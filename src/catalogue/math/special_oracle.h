// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/task.h"

namespace kbx {

// torch's own values in float64 are off by 1e-6 between -5 and -2 (Airy), and by 1e-6 of the value around 5 (Bessel).
Values airy_ai_oracle(const Args& args);
Values bessel_j1_oracle(const Args& args);

}  // namespace kbx
