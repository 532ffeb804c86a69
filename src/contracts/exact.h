// SPDX-License-Identifier: Apache-2.0
// Elementwise comparison without a budget, and what every elementwise comparison reports.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace kbx {

// One output compared element by element.
struct Comparison {
  double ratio = 0;     // worst error beyond the output's rounding / budget; infinity where no budget forgives
  bool rounded = true;  // every element is a correct rounding of the truth (or equal to it)
  int64_t wrong_elements = 0, elements = 0;
  std::vector<int64_t> where;                              // the worst element; empty if all are accepted
  double actual = 0, expected = 0, error = 0, budget = 0;  // at `where`; of a complex element the part that is worse
  at::Tensor wrong;                                        // bool, shape of the output; undefined if all are accepted

  bool passed() const { return wrong_elements == 0; }
};

// Floating or complex `y`: bit-equal to `truth` (float64 / complex128) rounded to y's type. Others: equal. NaN equals
// NaN, and the sign of zero is free. REQUIRES: equal shapes and devices.
Comparison compare_exact(const at::Tensor& y, const at::Tensor& truth);

// Integers where `free_steps` (float64, 0 or 1) says how far each may be from the truth. REQUIRES: integral y and truth.
Comparison compare_integers(const at::Tensor& y, const at::Tensor& truth, const at::Tensor& free_steps);

}  // namespace kbx
