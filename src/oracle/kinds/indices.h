// SPDX-License-Identifier: Apache-2.0
// Contract `indices`: the value at the returned index must be the value at the oracle's index. Ties are free, NaN equals
// NaN (torch's min, max, argmin, argmax let NaN win), an index outside the dimension is wrong.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// `dim` of the call may be absent: then positions count in the flattened input. REQUIRES: the contract names arguments.
Judgement judge_indices(const Call& call, const Expected& expected, size_t output, const Delivered& delivered,
                        const Indices& contract);

}  // namespace kbx
