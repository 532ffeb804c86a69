// SPDX-License-Identifier: Apache-2.0
// Recognises a candidate that computed on inputs cut to a lower precision, also where the error hides in the budget
// (docs/tolerance.md, "Explanation").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "oracle/oracle.h"

namespace kbx {

struct Explanation {
  std::string precision;  // "TF32 or fp16", "bf16", ...
  Accuracy accuracy = Accuracy::tf32;
  double ratio = 0;  // rms distance to the result on cut inputs / rms distance to the truth
};

// The truth on cut inputs, by hypothesis. Filled on first use, from one thread at a time.
struct Expected::Explanations {
  struct Hypothesis {
    std::string precision;
    Accuracy accuracy;
    std::vector<at::Tensor> values;  // parallel to Expected::outputs
  };
  bool computed = false;
  std::vector<Hypothesis> hypotheses;  // none unless the call is in float32 throughout
};

// The best explanation of a float32 (complex64) output that has at least 16 different elements, as the truth has, or nothing.
// Fewer agree by luck with one hypothesis or another, and are left to the budget.
std::optional<Explanation> explain(const Call& call, const Expected& expected, size_t output, const at::Tensor& y);

}  // namespace kbx
