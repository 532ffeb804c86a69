// SPDX-License-Identifier: Apache-2.0
// The reference computed otherwise, for every task: in other honest ways, which have to pass, and at a lower precision,
// which has to fail (docs/selfcheck.md). Made from its ATen calls; tasks write none.
#pragma once

#include <span>

#include "selfcheck/computation.h"

namespace kbx {

struct Variant {
  Computation computation;
  // Of results of these types it is a variant: cutting bfloat16 inputs to TF32 is none.
  bool (*applies)(at::ScalarType result);
};

// Other orders of summation, other formulas for the same function, functions that are 2 ulp off, one rounding at the end.
std::span<const Variant> honest_variants();
// Inputs, products, intermediate results or accumulators in TF32, bf16 or fp16.
std::span<const Variant> degraded_variants();

// The same in the arithmetic of a GPU's own libraries, which they use only where they choose to.
std::span<const Variant> degraded_on_cuda();

// The one that says whether a case tells TF32 from float32.
inline constexpr const char* kTf32Inputs = "inputs cut to TF32";

}  // namespace kbx
