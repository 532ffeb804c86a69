// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:svd`: A = U diag(S) Vh with A of m x n, u the unit roundoff of the output's type,
// p = 16 u max(m, n):
//   S real, S_i >= S_{i+1} >= 0, and |S_i - sigma_i| <= p * sigma_1
//   ||A - U_k diag(S) Vh_k||_F <= p * ||A||_F
//   ||U^H U - I||_F <= p * sqrt(columns),  ||Vh Vh^H - I||_F <= p * sqrt(rows)
// A backward stable algorithm delivers the exact SVD of A + E with ||E||_2 <= p(m, n) u ||A||_2, p growing slowly
// (LAPACK Users' Guide, "Error Bounds for the Singular Value Decomposition"; Golub & Van Loan, Matrix Computations,
// section 8.6), and by Weyl's theorem no singular value moves by more than ||E||_2. LAPACK's own test programs ask for
// residual and orthogonality in units of max(m, n) * ulp and accept up to 50.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Outputs are U, S, Vh in this order.
Judgement judge_svd(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
