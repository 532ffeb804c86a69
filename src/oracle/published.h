// SPDX-License-Identifier: Apache-2.0
// Policy `paper`: the rule of the published benchmark on its own calls, so that its numbers can be compared with. The truth is
// the published reference in working precision, run after the same seed as the candidate; only returned values are looked at,
// and how they came about is not asked.
//
// Tolerance (upstream README, "Comparator"): |y - e| <= t + t |e| with t = 5e-3 for fp16 and bf16, 1e-5 for fp32 and fp64; every
// other type, complex ones too, equal; NaN equals NaN. Tasks with limits of their own (quantisation): cosine similarity, relative
// L1 and RMSE over the whole output instead. Shape and type must match.
#pragma once

#include "oracle/judgement.h"
#include "oracle/oracle.h"

namespace kbx {

// Leaves `call`'s tensors unchanged. Throws c10::Error if the published reference fails.
Expected consult_published(const Call& call);

// REQUIRES: `delivery` is parallel to expected.outputs.
Judgement judge_published(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
