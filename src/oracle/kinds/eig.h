// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:eig`: A = V diag(w) V^-1 with A of order n, diagonalisable, u the unit roundoff of the output's type,
// kappa = ||V*||_2 ||V*^-1||_2 with the oracle's eigenvectors V*, p = 10 u (1 + sqrt(n)):
//   | ||v_j||_2 - 1 | <= p and ||A v_j - w_j v_j||_2 <= p ||A||_F for each column v_j of V
//   the w are the exact eigenvalues, each as often as it occurs: they can be paired so that each lies within p kappa ||A||_F of
//   its partner
//   the columns are independent: ||V||_2 ||V^-1||_2 <= kappa / sqrt(u)
// A backward stable algorithm delivers the eigenvalues, and nearly the eigenvectors, of A + E with ||E|| of some u ||A|| (LAPACK
// Users' Guide, "Error Bounds for the Nonsymmetric Eigenproblem"; Golub & Van Loan, Matrix Computations, section 7.5.6), whose
// eigenvalues lie within kappa ||E|| of those of A (Bauer & Fike 1960). Of equal eigenvalues any basis will do that keeps half of
// the digits: two columns that are the same but for rounding do not. Order, sign and phase are free. Defective matrices, of which
// no such V exists, are not judged so.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Outputs are w, V in this order.
Judgement judge_eig(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
