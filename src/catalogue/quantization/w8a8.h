// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/task.h"

namespace kbx {

// The schemes in exact arithmetic: quotients, integer sums and scales in float64, whatever the inputs' type. Each returns
// the result and what ties may change about it (integer_scheme.h).

// The product of the first two arguments, matrices or batches of them.
Values w8a8_product_oracle(const Args& args);
Values w4a16_linear_oracle(const Args& args);
Values w8a8_conv2d_oracle(const Args& args);
Values w8a8_layer_norm_oracle(const Args& args);
Values w8a8_attention_oracle(const Args& args);

}  // namespace kbx
