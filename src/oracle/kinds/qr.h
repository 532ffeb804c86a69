// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:qr`: A = Q R with A of m x n, u the unit roundoff of the output's type, p = 5 u (1 + sqrt(max(m, n))):
//   what lies below the diagonal of R is zero, exactly
//   ||Q^H Q - I||_F <= p * sqrt(columns of Q),  ||A - Q R||_F <= p * ||A||_F
//   where the oracle's Q is empty, Q has to be empty too, and there is a Q with orthonormal columns for which the last line
//   holds. The nearest one is U V^H from the singular value decomposition U S V^H of A R^H (orthogonal Procrustes problem:
//   Golub & Van Loan, Matrix Computations, section 6.4.1). Computed in float64 it is off by the condition of R, which is allowed
//   on top, of the oracle's R and up to 2^26: at most an eighth of p for a float32 R
// Householder and Givens QR deliver the exact R of A + E with ||E||_F <= gamma ||A||_F, and a Q within gamma of an orthogonal
// one, gamma of order m n u in the worst case (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorems 19.4 and
// 19.10), and of the square root with rounding errors of random signs. Gram-Schmidt and the Cholesky factor of A^H A lose
// orthogonality with the condition of A. Signs and phases of R's diagonal are free, and so is the basis that completes Q.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Outputs are Q, R in this order.
Judgement judge_qr(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
