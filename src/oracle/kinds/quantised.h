// SPDX-License-Identifier: Apache-2.0
// Contract `quantised`: the value of the stated integer scheme, up to the roundings of its fp32 scales. What lies on a
// rounding tie, within what fp32 can tell, may go to either side; nothing else is free.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// The task's oracle, evaluated here on the call's own tensors, gives the scheme's exact result and what ties may change
// about each element (catalogue/quantization/integer_scheme.h).
Judgement judge_quantised(const Call& call, const Expected& expected, size_t output, const Delivered& delivered,
                          const Quantised& contract);

}  // namespace kbx
