// SPDX-License-Identifier: Apache-2.0
// What an output is, whatever rule its value is judged by.
#pragma once

#include "catalogue/task.h"
#include "oracle/evaluation.h"
#include "oracle/oracle.h"

namespace kbx {

// A result in the form that comparisons want: float64 or complex128 where `eager` is floating or complex.
inline at::Tensor as_truth(const at::Tensor& value, const at::Tensor& eager) {
  if (eager.is_complex()) return value.to(at::kComplexDouble);
  return value.to(eager.is_floating_point() ? at::kDouble : eager.scalar_type());
}

// Results that are views of the call's inputs would change with them.
inline at::Tensor detached_from(const Inputs& inputs, const at::Tensor& value) {
  for (const at::Tensor& input : inputs)
    if (value.is_alias_of(input)) return value.clone();
  return value;
}

// All of a Truth but its value and budget. `eager` is the output as the reference delivers it.
inline Truth truth_of(const Call& call, const Evaluation::Slot& slot, at::Tensor eager) {
  Truth truth;
  truth.name = slot.name;
  truth.returned = slot.returned;
  truth.argument = slot.argument;
  truth.shares_input = slot.shares_input;
  truth.dtype = eager.scalar_type();
  truth.shape = eager.sizes().vec();
  truth.data_dependent = call.task->bound && slot.returned == 0;
  if (truth.data_dependent) truth.bound = call.task->bound(Args(call));
  truth.eager = std::move(eager);
  return truth;
}

}  // namespace kbx
