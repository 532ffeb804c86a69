// SPDX-License-Identifier: Apache-2.0
// The error budget of one floating-point output, from the results of calls of the reference alone. The rule, what each
// term is for and where its constants come from: docs/tolerance.md. Pure functions of float64 tensors, any device.
//
// Values that are not finite mean "this call says nothing about this element": they widen no budget.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace kbx {

// What the calls gave for one output. Real parts only: a complex output comes as at::view_as_real of itself.
struct Samples {
  at::Tensor truth;                // r = F(x)
  std::vector<at::Tensor> signs;   // |F(x (1 + 8u xi)) - r| / 8, xi = +-1
  std::vector<at::Tensor> cauchy;  // |F(x (1 + 8u zeta)) - r| / 8, zeta Cauchy, clipped
  std::vector<at::Tensor> inner;   // |f(x') - F(x')|, f in float32, at x and at points next to it
  at::Tensor eager;                // e, in the output's own type
};

// Every term can be left out, so that a test can show what it is for.
struct BudgetTerms {
  bool conditioning = true;  // 32 L1
  bool magnitude = true;     // 32 u |r|
  bool scale = true;         // 32 u median|r|
  bool inner = true;         // 32 E32
  bool accumulation = true;  // 4 nu u |r|
  bool eager = true;         // 3 ET
  bool oracle = true;        // u E^
  bool drift = true;         // nu-bar^2 / 4 u |r|
  bool floor = true;         // 2^-126
};

struct Budget {
  at::Tensor budget;  // B: finite, not negative
  at::Tensor spread;  // L2
};

// L2: root mean square over the draws.
at::Tensor rms_change(const std::vector<at::Tensor>& signs);
// L1: the larger of the median over the Cauchy draws and the maximum over the signs.
at::Tensor componentwise_change(const std::vector<at::Tensor>& signs, const std::vector<at::Tensor>& cauchy);
// nu = L1 / L2 within [1, 4096]: about the square root of the number of terms behind an element.
at::Tensor term_count_root(const at::Tensor& l1, const at::Tensor& l2);
// Median of the finite elements of |r|; 0 if there are none.
double median_magnitude(const at::Tensor& truth);
// Largest of `values` among the `width` neighbours on either side in the order given (a permutation of flat indices).
at::Tensor neighbour_max(const at::Tensor& values, const at::Tensor& order, int64_t width);
// Flat indices by increasing |r|.
at::Tensor order_by_magnitude(const at::Tensor& truth);
// ET before its neighbours: distance of the truth from eager's rounding cell, 0 where either is not finite.
at::Tensor eager_error(const at::Tensor& eager, const at::Tensor& truth);

// `type`: of the output (of its parts where it is complex). REQUIRES: a type with a float format; at least one draw each.
Budget budget_of(const Samples& samples, at::ScalarType type, const BudgetTerms& terms = {});

}  // namespace kbx
