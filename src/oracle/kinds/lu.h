// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:lu`: A = P L U with A of m x n, k = min(m, n), u the unit roundoff of the output's type.
//   P is a permutation matrix; where the oracle's P is empty, no rows may be exchanged and P has to be empty too
//   L has a diagonal of ones and zeros above it, U zeros below its diagonal, all of them exact
//   with P: |L_ij| <= 1 + 4 u, which is partial pivoting; ties between pivots are free
//   ||A - P L U||_F <= p * || |L| |U| ||_F, p = 4 u (1 + sqrt(k))
// Whatever the order of the loops and with or without pivoting, |P'A - L U| <= gamma_k |L| |U| (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., theorem 9.3): growth is on the right-hand side, so that elimination without
// exchanges is judged by what it can do. gamma_k = k u / (1 - k u) is the worst case, sqrt(k) what rounding errors
// with random signs add up to (ibid., section 2.8). 4 u in |L|: a pivot's reciprocal rounds, and the product with it.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Outputs are P, L, U in this order.
Judgement judge_lu(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
