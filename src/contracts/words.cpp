// SPDX-License-Identifier: Apache-2.0
#include "contracts/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/check.h"

namespace kbx {
namespace {

struct Words {
  std::string_view contract, words;
};

constexpr Words kWords[] = {
    {"numeric",
     "Every element is compared with the exact result (computed in float64 from the same inputs), within what careful arithmetic "
     "in "
     "the output's own precision reaches on these very inputs. In a float32 task, TF32, bf16 or fp16 on the way is not enough; "
     "for "
     "16-bit types, accumulate in float32. NaN and infinities have to stand exactly where the exact result has them. Integer and "
     "boolean results are exact."},
    {"exact", "Every element is equal to the exact result; only the sign of a zero is free."},
    {"indices",
     "The value at each returned index has to equal the value at the right index. Which of several equal values is named, is "
     "free."},
    {"decomposition:svd",
     "The factors have to multiply to the matrix, have orthonormal columns (rows), and singular values that are right, not "
     "negative "
     "and in descending order. Signs and the basis within equal singular values are free."},
    {"decomposition:lu",
     "P is a permutation, L has a unit diagonal and zeros above it, U zeros below, and P L U is the matrix; with pivoting no "
     "element "
     "of L is larger than 1."},
    {"decomposition:low_rank", "A best approximation of the given rank: its distance from the matrix is the least possible."},
    {"decomposition:pinv", "The four conditions of Penrose hold within rounding."},
    {"decomposition:cholesky",
     "A triangular factor with a positive real diagonal and exact zeros in the other triangle, whose product with its conjugate "
     "transpose is the matrix within rounding."},
    {"decomposition:qr",
     "Q has orthonormal columns, R is upper triangular with exact zeros below the diagonal, and Q R is the matrix within "
     "rounding. "
     "Signs are free."},
    {"decomposition:ldl",
     "The packed factor and the pivots, read as the schema's convention says, have to reproduce the matrix within rounding; "
     "other "
     "valid pivots than the usual ones are right too."},
    {"decomposition:eig",
     "Each pair has to satisfy A v = lambda v within rounding, with v of length 1, and the eigenvalues have to be those of the "
     "matrix. Their order, and each vector's phase, are free."},
    {"solve",
     "The residual of the system is as small as a stable method makes it. The distance from the exact solution is not asked."},
    {"solve:least_squares", "The residual is the least possible within rounding, and orthogonal to the columns of the matrix."},
    {"solve:cholesky", "The residual of the system whose matrix the factor stands for is as small as a stable method makes it."},
    {"solve:inverse", "The product with the matrix is the identity, as closely as a stable method makes it."},
    {"stochastic:uniform",
     "Numbers that pass tests of distribution, resolution and independence. The same seed has to repeat them, another seed must "
     "not. "
     "No particular generator is asked for."},
    {"stochastic:dropout",
     "The result has to be right for the mask that can be read from it. The mask has to keep each element independently at the "
     "stated "
     "rate, repeat for the same seed and change with another. No particular generator is asked for."},
    {"stochastic:fractional_pooling",
     "The pooling windows, as the result shows them, have to come from one uniform number for each plane and axis, repeat for "
     "the "
     "same seed and change with another. No particular generator is asked for."},
    {"stochastic:binomial",
     "Counts that pass exact tests of the binomial distribution and of independence. The same seed has to repeat them, another "
     "seed "
     "must not. No particular generator is asked for."},
    {"quantised",
     "The result of the stated integer scheme: its rounding, its granularity of scales, its exact integer accumulation. Only "
     "elements "
     "that lie on a rounding tie may go either way. The result without quantisation is wrong."},
    {"jump",
     "As for numeric results; where the quantity that decides by its sign is zero within rounding, the value of either side is "
     "right."},
};

std::string_view words_of(const OutputContract& contract) {
  const std::string name = contract_name(contract);
  const auto* found = std::ranges::find(kWords, name, &Words::contract);
  KBX_CHECK(found != std::end(kWords));
  return found->words;
}

}  // namespace

std::string contract_words(const Contract& contract) {
  if (contract.size() == 1) return std::string(words_of(contract.front()));
  std::string lines;
  for (size_t i = 0; i < contract.size(); ++i)
    lines += fmt::format("{}Result {} ({}): {}", i == 0 ? "" : "\n", i + 1, contract_name(contract[i]), words_of(contract[i]));
  return lines;
}

}  // namespace kbx
