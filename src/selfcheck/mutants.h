// SPDX-License-Identifier: Apache-2.0
// Computations of something else than the task: what its cases have to reject. Which there are follows from the task's
// schema and from the ATen calls that its reference makes on its cases.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "selfcheck/computation.h"

namespace kbx {

// Mistakes that need no knowledge of the reference: an argument ignored, strides ignored, the last block not written, ...
std::vector<Computation> call_mutants(const std::vector<const Call*>& calls);

// Mistakes in single ATen calls, for each place where one of the calls makes it.
std::vector<Computation> operator_mutants(const std::vector<const Call*>& calls);

// A way to get one ATen call wrong.
struct Mistake {
  std::string name;  // "without bias", "max for min"
  std::function<Results()> make;
};
// Mistakes in what the call is told: its numbers, flags, dimensions, optional tensors.
void add_argument_mistakes(const Operation& op, std::vector<Mistake>& mistakes);
// Mistakes in what it does: another operator, operands swapped, an element left out, a formula that overflows or cancels.
void add_arithmetic_mistakes(const Operation& op, std::vector<Mistake>& mistakes);

}  // namespace kbx
