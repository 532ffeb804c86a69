// SPDX-License-Identifier: Apache-2.0
// Patterns in matrix results that are judged by an equation, not by their elements: each hypothesis is one way to compute the
// result wrongly, and is named where it reproduces what was delivered.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "contracts/contract.h"
#include "core/verdict.h"

namespace kbx {

struct WrongSolution {
  Equation equation;
  at::Tensor matrix;           // as given: for Equation::cholesky the factor
  at::Tensor right_hand_side;  // undefined for Equation::inverse
  bool upper = false;          // for Equation::cholesky
  at::Tensor solution;         // as delivered
  at::Tensor truth;            // the oracle's, same shape
};

// At most one, which holds for most of the elements; nothing where the matrix is too ill-conditioned to tell.
// REQUIRES: shapes that fit the equation.
std::optional<Diagnosis> diagnose_solution(const WrongSolution& wrong);

// Elements of the solution that are off by more than the matrix's condition and the rounding of the solution's type explain;
// undefined where that says nothing.
at::Tensor wrong_elements(const WrongSolution& wrong);

// A = P L U. REQUIRES: the shapes of that decomposition; `permutation` may be empty.
std::optional<Diagnosis> diagnose_lu(const at::Tensor& a, const at::Tensor& permutation, const at::Tensor& l,
                                     const at::Tensor& u);

}  // namespace kbx
