// SPDX-License-Identifier: Apache-2.0
// What a comparison found. Plain data; src/contracts produces it, src/diagnose and the verdict read it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/verdict.h"

namespace kbx {

// One output that was not accepted.
struct Finding {
  std::string output, contract;
  std::string detail;          // one sentence: "12 of 4112 elements differ; worst at [3, 0]: 1.25 for 0.5 (budget 1e-6)"
  std::vector<int64_t> where;  // index of the worst element; empty where none is to blame
  double actual = 0, expected = 0, error = 0, budget = 0;
  int64_t wrong_elements = 0, elements = 0;
  at::Tensor wrong;  // bool mask, or undefined (shape, dtype, missing)
  // Where the truth is not the case's own, but that of what a stochastic call drew. Else undefined.
  struct Drawn {
    at::Tensor delivered, truth, budget;
  } drawn = {};
};

struct Judgement {
  bool passed = false;
  double ratio = 0;  // worst error beyond rounding / budget over all outputs
  Accuracy accuracy = Accuracy::exact;
  std::vector<Finding> findings;  // empty iff passed
};

}  // namespace kbx
