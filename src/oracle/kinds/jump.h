// SPDX-License-Identifier: Apache-2.0
// Contract `jump`: an output that changes abruptly where some quantity changes its sign. Where that quantity lies within
// its own error budget of zero, honest kernels end up on either side.
#pragma once

#include "oracle/oracle.h"

namespace kbx {

// Fills `free` and `sides`, and for floating outputs `budget` and `spread`. These come from the sides, which have no
// jump: one kernel's flip must not widen what is allowed for the elements around it. An exact zero that no change of the
// inputs moves is not free: nothing rounds there. REQUIRES: the call's task has a `jump`.
void attach_sides(const Call& call, Truth& truth);

// The truth, and in its place the side nearest to `y` where that is free. REQUIRES: y has the truth's shape.
at::Tensor nearest_side(const Truth& truth, const at::Tensor& y);

}  // namespace kbx
