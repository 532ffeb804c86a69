// SPDX-License-Identifier: Apache-2.0
// Square matrices of some structure, made in place of numbers X drawn without any. `sizes` ends with two equal ones, those before
// them count matrices; the single parameter is p[0]. X is complex where `imaginary` is not empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kbx {

using Numbers = std::span<double>;

// X X^H + r I: positive definite for r > 0, Hermitian where X is complex.
void make_definite(const std::vector<double>& p, const std::vector<int64_t>& sizes, Numbers out, Numbers imaginary);
// (X + X') / 2 and (X + X^H) / 2.
void make_symmetric(const std::vector<double>& p, const std::vector<int64_t>& sizes, Numbers out, Numbers imaginary);
void make_hermitian(const std::vector<double>& p, const std::vector<int64_t>& sizes, Numbers out, Numbers imaginary);

// In what follows, of a complex X real and imaginary part are made alike.

// The lower Cholesky factor of X X' + r I (Golub & Van Loan, Matrix Computations, section 4.2), and its transpose.
void make_lower(const std::vector<double>& p, const std::vector<int64_t>& sizes, Numbers out, Numbers imaginary);
void make_upper(const std::vector<double>& p, const std::vector<int64_t>& sizes, Numbers out, Numbers imaginary);
// X with s times the sum of each row's magnitudes added to its diagonal.
void make_dominant(const std::vector<double>& p, const std::vector<int64_t>& sizes, Numbers out, Numbers imaginary);

}  // namespace kbx
