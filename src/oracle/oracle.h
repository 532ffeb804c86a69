// SPDX-License-Identifier: Apache-2.0
// The truth about a call: the reference evaluated in float64 (or the task's own exact rule) on the same rounded inputs,
// with an error budget for each element (docs/tolerance.md).
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/task.h"

namespace kbx {

// One output of a call: a returned value, or an argument that the call writes.
struct Truth {
  std::string name;                   // "result", "values", "out" or the argument's name
  int returned = -1;                  // index among the returned values; -1 if it is only an argument
  int argument = -1;                  // index of the argument whose storage it is (in-place, out); -1 for a fresh result
  at::ScalarType dtype = at::kFloat;  // of the output as a candidate must deliver it
  std::vector<int64_t> shape;
  bool shares_input = false;    // a returned value that lies in the storage of an argument, as the reference delivers it
  bool data_dependent = false;  // the shape follows from the contents; `bound` is the largest that it can be
  int64_t bound = 0;            // elements
  at::Tensor value;             // float64 / complex128, or exact integers / bool. On the call's device
  at::Tensor budget;  // float64, same shape. Undefined where the contract is not numeric, and for integers off all rounding ties
  at::Tensor spread;  // float64, same shape: rms change of `value` per relative input error of u. Defined as `budget` is
  at::Tensor eager;   // the reference in the task's own dtype
  at::Tensor free;    // bool, same shape: elements that may take the value of any side. Defined for contract Jump
  std::vector<at::Tensor> sides;  // like `value`; empty where `free` is undefined
};

// Owned by the judge alone; never leaves its address space. Immutable after construction and shared by all candidates.
struct Expected {
  std::vector<Truth> outputs;
  std::optional<std::string> raises;           // the call must raise; what the reference said. No outputs then
  struct Explanations;                         // outputs on inputs cut to TF32, bf16, fp16: computed on first use
  std::shared_ptr<Explanations> explanations;  // null: no second test (a truth that is not the oracle's)
  struct Masks;                                // what reading the masks of a dropout takes
  std::shared_ptr<const Masks> masks;          // null: no dropout
};

// Evaluates the reference 15 times or so. Leaves `call`'s tensors unchanged. Throws c10::Error if the reference itself
// fails, or a dropout's results do not tell its mask ("reference invalid": the pipeline turns that into not_judged).
Expected consult_oracle(const Call& call);

// The reference in the task's own dtype on a clone: what eager delivers, for baselines and selfcheck.
Values run_reference(const Call& call);

}  // namespace kbx
