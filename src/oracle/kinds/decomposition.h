// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition`: the factors must be a factorisation of the input, not the oracle's factorisation. Free of
// sign, phase, ties and the basis of degenerate subspaces. The inequalities of each kind are in its own header: svd.h,
// lu.h, low_rank.h, pinv.h, cholesky.h, qr.h, ldl.h, eig.h.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Outputs are in the task's order; all arithmetic is in float64 on the call's device.
Judgement judge_decomposition(const Call& call, const Expected& expected, const Delivery& delivery,
                              const Decomposition& contract);

}  // namespace kbx
