// SPDX-License-Identifier: Apache-2.0
// One way to compute a task: its reference with something changed. What a candidate that computes so would deliver.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <string>

#include "oracle/judgement.h"
#include "selfcheck/interposer.h"

namespace kbx {

// Parts left out change nothing.
struct Computation {
  std::string name;
  std::function<void(Call&)> change_call = {};                     // gets a clone of its own
  std::function<at::Tensor(const at::Tensor&)> change_input = {};  // of each floating or complex tensor
  std::optional<at::ScalarType> precision = {};                    // of inputs, out and dtype arguments; results are rounded once
  void (*settings)() = nullptr;                                    // of ATen, made for the time of the call
  Rewriter rewrite = {};                                           // of the ATen calls that the reference makes
  Values (*function)(const Args&) = nullptr;                       // instead of the reference
  std::function<at::Tensor(const at::Tensor&)> change_output = {};  // of each result
  bool leaves_arguments = false;                                    // what should be written into an argument is not
};

// Parallel to seeds_to_call(). Leaves `call` as it is. Throws what ATen throws on the way.
std::vector<Delivery> deliver(const Call& call, const Expected& expected, const Computation& computation);

// The same tensors bit for bit, NaN included.
bool same_bits(const std::vector<Delivery>& a, const std::vector<Delivery>& b);

}  // namespace kbx
