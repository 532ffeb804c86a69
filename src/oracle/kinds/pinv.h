// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:pinv`: X is the pseudoinverse of A_r, what is left of A when singular values below the task's
// threshold count as zero. A_r = A X* A with the oracle's X*; kappa = ||A||_2 ||X*||_2, u the unit roundoff of the
// output's type, p = 8 u sqrt(max(m, n)) / (1 - ||A - A_r||_2 ||X*||_2):
//   ||A_r X A_r - A_r||_2 <= p * kappa * ||A||_2        ||X A_r X - X||_2 <= p * kappa * ||X*||_2
//   ||(A_r X)^H - A_r X||_2 <= p * kappa                ||(X A_r)^H - X A_r||_2 <= p * kappa
// The four conditions of Penrose (1955), which X = A_r^+ alone satisfies. A backward stable SVD gives the pseudoinverse of
// (A + E)_r with ||E||_2 of some u ||A||_2, and ||(A + E)^+ - A^+|| is of order kappa ||E|| / ||A|| * ||A^+|| at equal rank
// (Wedin 1973; Golub & Van Loan, Matrix Computations, section 5.5.5). The divisor of p is the gap between
// the least singular value that stays and the largest that goes, relative to the former, and at least 2^-10: a subspace
// turns by ||E|| / gap (Wedin's sin theta theorem). Cases keep singular values away from the threshold.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

Judgement judge_pinv(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
