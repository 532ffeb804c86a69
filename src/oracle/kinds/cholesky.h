// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:cholesky`: A = L L^H with A Hermitian positive definite of order n, u the unit roundoff of the
// output's type; with the argument `upper` A = U^H U, and L = U^H in what follows.
//   what lies above the diagonal of L is zero, exactly
//   L's diagonal is real and positive, exactly
//   ||A - L L^H||_F <= p * || |L| |L^H| ||_F, p = 4 u (1 + sqrt(n))
// |A - L L^H| <= gamma_{n+1} |L| |L^H| in whatever order the sums are taken (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., theorem 10.3). gamma_n = n u / (1 - n u) is the worst case, sqrt(n) what rounding errors with random
// signs add up to (ibid., section 2.8); square roots and quotients that are an ulp off fit into p. L is unique, but nothing is
// asked of its distance from the exact factor, which the condition of A decides.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// The output is L, or U.
Judgement judge_cholesky(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
