// SPDX-License-Identifier: Apache-2.0
// What kind of arithmetic an ATen call is, and the call made anew in steps of one's choice. Functions return nothing where
// the call is of another kind, is not about floating-point numbers, or has nothing to compute.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <vector>

#include "selfcheck/interposer.h"

namespace kbx {

// A sum, mean, variance, norm, extremum, ... over some dimensions of `self`.
struct Reduction {
  at::Tensor self;
  std::vector<int64_t> dims;  // not negative, ascending; never empty
  bool keepdim = false;
};
std::optional<Reduction> reduction_of(const Operation& op);
// Softmax, log_softmax, cumsum, ...: results of the input's shape that depend on whole rows along `dims`.
std::optional<Reduction> row_operation_of(const Operation& op);
// A row operation on other rows, of the type that its Reduction has.
Operation with_rows(const Operation& op, const at::Tensor& self);

// The reduced dimensions brought together: [outer, n].
at::Tensor rows(const Reduction& r);
// One number for each row, in the shape that the reduction gives.
at::Tensor unrowed(const Reduction& r, const at::Tensor& per_row);

// A matrix product with `product(left, right)`, both at least matrices of matching batches, in the place of at::matmul:
// mm, bmm, mv, dot, addmm, baddbmm, addmv and their like. 16-bit matrices come in float32, and the result is rounded once.
using Product = std::function<at::Tensor(const at::Tensor& left, const at::Tensor& right)>;
std::optional<at::Tensor> with_product(const Operation& op, const Product& product);

// A function of each element that hardware and libraries approximate: exp, tanh, erf, division, ...
bool is_approximated(const Operation& op);

// float32 for 16-bit types, else the type itself.
at::ScalarType working_type(at::ScalarType type);
// The same call with all floating tensors and dtype arguments in `precision`; numbers given for tensors stay.
Operation in_precision(const Operation& op, at::ScalarType precision);
// The results in the types that `like` has, rounded once.
Results in_types_of(const Results& results, const Results& like);
// Changes each floating tensor among the arguments that the call reads.
Operation with_floating(const Operation& op, const std::function<at::Tensor(const at::Tensor&)>& change);
// Has a floating tensor among its arguments.
bool reads_floating(const Operation& op);

// Sums the columns of [outer, n] one after the other; beyond 2048 columns in as many lanes as that takes. `step` gives
// the next accumulator.
using Step = std::function<at::Tensor(const at::Tensor& accumulator, const at::Tensor& column)>;
at::Tensor sum_in_steps(const at::Tensor& matrix, const Step& step);

}  // namespace kbx
