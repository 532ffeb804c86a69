// SPDX-License-Identifier: Apache-2.0
// The calls of the reference that a budget is made from: perturbed inputs in float64 and float32, reproducible from the
// call's seed.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "oracle/budget.h"
#include "oracle/evaluation.h"

namespace kbx {

using ReferenceFunction = Values (*)(const Args&);

// One output to be sampled.
struct Sampled {
  size_t slot = 0;   // of the evaluation
  at::Tensor truth;  // float64 / complex128, or integers
  at::Tensor eager;  // in the output's own type
};

// For each output what budget_of() wants. `truth_function` gives the truth (F), `reference` runs in float32 (f).
// REQUIRES: evaluation.own() was called; the outputs are floating or complex.
std::vector<Samples> sample(const Evaluation& evaluation, ReferenceFunction truth_function, ReferenceFunction reference,
                            const std::vector<Sampled>& outputs, uint64_t seed);

// For integer outputs: 1 where a relative change of the inputs by 8u moves the result (it comes from a rounding, and
// this is a tie), else 0; float64. Parallel to `outputs`.
std::vector<at::Tensor> rounding_ties(const Evaluation& evaluation, ReferenceFunction truth_function,
                                      const std::vector<Sampled>& outputs, uint64_t seed);

}  // namespace kbx
