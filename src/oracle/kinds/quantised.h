// SPDX-License-Identifier: Apache-2.0
// Contract `quantised`: the value of the stated integer scheme, up to the roundings of its fp32 scales. An operand
// element that lies on a rounding tie, within what fp32 can tell, may go to either side; nothing else is free.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// The oracle's value is the scheme evaluated exactly. The first two tensor arguments of the call are the operands: the
// left one is quantised per row (its last dimension shares a scale), the right one per column (its last but one does),
// both to scale = absmax / 127, q = round(x / scale).
Judgement judge_quantised(const Call& call, const Expected& expected, size_t output, const Delivered& delivered,
                          const Quantised& contract);

}  // namespace kbx
