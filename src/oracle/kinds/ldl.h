// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:ldl`: A = L D L^H (with the argument `hermitian` false and a complex A: L D L^T) in LAPACK's packed
// form of ?sytrf and ?hetrf for the lower triangle (LAPACK Users' Guide, section "Bunch-Kaufman"; the documentation of DSYTRF).
// Indices count from 0 here. D has blocks of 1 x 1 and 2 x 2, L = P(0) L(0) P(1) L(1) ...:
//   pivots[k] = q + 1 > 0: a block of 1 x 1 at k; P(k) exchanges k and q, k <= q < n
//   pivots[k] = pivots[k + 1] = -(q + 1) < 0: a block of 2 x 2 at k; P(k) exchanges k + 1 and q, k < q < n
//   LD holds D in its diagonal and, for a block of 2 x 2, in the one place below it; below the blocks the columns of L(k), whose
//   other columns are those of the identity; above the diagonal zeros
// The pivots have to be of this form, what lies above LD's diagonal is zero, D's diagonal is real where `hermitian`, and
//   ||A - L D L^H||_F <= p * ||A||_F, p = 12 u (1 + sqrt(n))
// with u the unit roundoff of the output's type. For diagonal pivoting with blocks of any choice the error is at most some n u
// (|A| + |L| |D| |L^H|), and with the choices of Bunch and Kaufman |L| |D| |L^H| is of the size of A up to the growth of its
// elements (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorems 11.3 and 11.4). Growth is not allowed for:
// which pivots are taken is free, as long as they keep it small.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Outputs are LD, pivots in this order.
Judgement judge_ldl(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
