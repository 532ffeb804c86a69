// SPDX-License-Identifier: Apache-2.0
// Contract `stochastic:dropout`: some mask, drawn as the task says, explains the outputs; any honest stream will do.
//
// The task's Chance splits its computation at the mask. So for a mask of the judge's own the task is deterministic, and has
// a truth with a budget. From what a candidate delivered the mask is read (each element looks either like kept and scaled
// or like dropped), then the delivery is judged as numeric output of the task with this very mask. A mask that was read
// wrongly, or none that could be read because the work is another, fails there. The masks of the seeds {a, b, a} then
// have to be independent with the stated keep rate, to differ, and to repeat.
//
// Elements whose two values lie closer together than eight times what the budget leaves open are not certain: they are
// judged as numbers, but counted in no test of the mask. Certainty is a property of the inputs alone.
#pragma once

#include "oracle/judgement.h"
#include "oracle/oracle.h"

namespace kbx {

// What reading masks takes; made once for a call. All in float64 on the CPU, in the shape of the mask.
struct Expected::Masks {
  struct Sight {  // one place where the mask shows: an output, or what Chance::undo makes of all of them
    int output = -1;
    at::Tensor kept, dropped, noise;
  };
  std::vector<Sight> sights;
  at::Tensor certain;    // bool
  at::Tensor magnitude;  // of the tensor before the mask
  double probability = 0;
};

// The call drops nothing or everything, or there is nothing to drop: it is judged as numeric. REQUIRES: a task with contract
// stochastic:dropout.
bool is_settled(const Call& call);

// Throws c10::Error if a mask cannot be read from this call's outputs (the results do not determine it): such a case
// cannot be judged. REQUIRES: not is_settled(call).
std::shared_ptr<const Expected::Masks> prepare_masks(const Call& call);

// `deliveries` answer the seeds {a, b, a}. REQUIRES: expected.masks.
Judgement judge_dropout(const Call& call, const Expected& expected, const std::vector<Delivery>& deliveries);

}  // namespace kbx
