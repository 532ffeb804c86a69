// SPDX-License-Identifier: Apache-2.0
// What an output is, whatever rule its value is judged by.
#pragma once

#include "catalogue/task.h"
#include "oracle/evaluation.h"
#include "oracle/oracle.h"

namespace kbx {

// All of a Truth but its value and budget. `eager` is the output as the reference delivers it.
inline Truth truth_of(const Call& call, const Evaluation::Slot& slot, at::Tensor eager) {
  Truth truth;
  truth.name = slot.name;
  truth.returned = slot.returned;
  truth.argument = slot.argument;
  truth.dtype = eager.scalar_type();
  truth.shape = eager.sizes().vec();
  truth.data_dependent = call.task->bound && slot.returned == 0;
  if (truth.data_dependent) truth.bound = call.task->bound(Args(call));
  truth.eager = std::move(eager);
  return truth;
}

}  // namespace kbx
