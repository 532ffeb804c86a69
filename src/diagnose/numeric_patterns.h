// SPDX-License-Identifier: Apache-2.0
// Patterns in wrong values: from one rejected output, what the candidate probably does instead. Pure; any device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/verdict.h"

namespace kbx {

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

struct WrongValues {
  at::Tensor actual;                // as delivered
  at::Tensor truth;                 // the oracle's value, same shape
  at::Tensor budget;                // may be undefined
  at::Tensor wrong;                 // bool, same shape
  std::vector<NamedTensor> inputs;  // tensor arguments of the call
  std::vector<uint8_t> poison;      // byte patterns that outputs were filled with before the call
  Accuracy accuracy = Accuracy::wrong;
};

// Most specific first; the last one says only how the wrong elements are spread. Never empty for a non-empty mask.
// REQUIRES: actual, truth and wrong are defined and have the same shape.
std::vector<Diagnosis> diagnose_values(const WrongValues& values);

// An output without usable value: nothing came, or another type or shape than expected.
struct WrongForm {
  std::string problem;                // Delivered::problem, or Finding::detail
  at::Tensor actual;                  // undefined where nothing usable came
  at::ScalarType dtype = at::kFloat;  // expected
  std::vector<int64_t> shape;         // expected
};
std::vector<Diagnosis> diagnose_form(const WrongForm& form);

}  // namespace kbx
