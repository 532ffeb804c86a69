// SPDX-License-Identifier: Apache-2.0
// Square matrices of some structure, made in place of numbers X drawn without any. `sizes` ends with two equal ones, those before
// them count matrices; the single parameter is p[0].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kbx {

// X X' + r I: positive definite for r > 0.
void make_definite(const std::vector<double>& p, const std::vector<int64_t>& sizes, std::span<double> out);
// The lower Cholesky factor of X X' + r I (Golub & Van Loan, Matrix Computations, section 4.2), and its transpose.
void make_lower(const std::vector<double>& p, const std::vector<int64_t>& sizes, std::span<double> out);
void make_upper(const std::vector<double>& p, const std::vector<int64_t>& sizes, std::span<double> out);
// X with s times the sum of each row's magnitudes added to its diagonal.
void make_dominant(const std::vector<double>& p, const std::vector<int64_t>& sizes, std::span<double> out);

}  // namespace kbx
