// SPDX-License-Identifier: Apache-2.0
// The rule by which an output is accepted, as data. A task states one contract for all its outputs, or one per output.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kbx {

// Floating-point outputs under the error budget of docs/tolerance.md. Integer and bool outputs of a numeric task are exact.
struct Numeric {};
// Bit-equal to the oracle rounded to the output's type; NaN where the oracle has NaN; signed zero is free.
struct Exact {};
// Positions into an input along a dimension: the value at the returned index must be the value at the oracle's index
// (ties are free). `input` and `dim` name arguments of the task.
struct Indices {
  std::string_view input, dim;
};
enum class DecompositionKind { svd, lu, low_rank, pinv, cholesky, qr, ldl, eig };
// Judged by residual, orthogonality, form and ordering; free of sign, phase and basis. The matrix is the first tensor
// argument; low_rank reads the rank from the argument `k`, cholesky the argument `upper`, ldl the argument `hermitian`.
struct Decomposition {
  DecompositionKind kind;
};
enum class Equation { square, least_squares, cholesky, inverse };
// The result X of A X = B, judged by its residual. `matrix` and `right_hand_side` name arguments of the task; cholesky has
// the factor for the matrix and reads the argument `upper`; inverse has no right-hand side.
struct Solve {
  Equation equation;
  std::string_view matrix, right_hand_side = {};
};
// dropout, fractional_pooling: the task says in its `chance` on what, and what follows. binomial reads the arguments
// `total_count`, `probs` and `logits`; its counts are multiplied by the integers of `chance.before`.
enum class Distribution { uniform, dropout, fractional_pooling, binomial };
// Judged by support, distribution and independence with a false-alarm rate of at most 1e-6.
struct Stochastic {
  Distribution distribution;
};
// Quantised matrix product: the oracle is the stated integer scheme itself, evaluated exactly; only rounding ties are free.
struct Quantised {
  std::string_view scheme;  // "int8 per row x per column, int32 accumulation"
};

// As Numeric, but the output jumps where some quantity changes its sign (Task::jump). Where rounding decides that sign,
// the value of any side is right.
struct Jump {};

using OutputContract = std::variant<Numeric, Exact, Indices, Decomposition, Solve, Stochastic, Quantised, Jump>;

// One entry: it holds for all outputs together. Several: one per returned value, in schema order.
using Contract = std::vector<OutputContract>;

inline Contract numeric() { return {Numeric{}}; }
inline Contract exact() { return {Exact{}}; }
inline Contract decomposition(DecompositionKind kind) { return {Decomposition{kind}}; }
inline Contract solves(Equation equation, std::string_view matrix, std::string_view right_hand_side = {}) {
  return {Solve{equation, matrix, right_hand_side}};
}
inline Contract stochastic(Distribution distribution) { return {Stochastic{distribution}}; }
inline Contract quantised(std::string_view scheme) { return {Quantised{scheme}}; }

// "numeric", "exact", "indices", "decomposition:svd", "solve", "solve:inverse", "stochastic:uniform", "stochastic:dropout",
// "quantised", "jump", several joined by "+".
std::string contract_name(const Contract& contract);
std::string contract_name(const OutputContract& contract);

}  // namespace kbx
