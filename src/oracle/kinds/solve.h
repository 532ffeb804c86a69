// SPDX-License-Identifier: Apache-2.0
// Contract `solve`: X is judged by what it leaves of its equation, not by its distance from the exact solution, which
// the condition of the matrix may blow up for the best of algorithms. u: unit roundoff of the output's type; norms of
// vectors and matrices are 2-norms; x, b and r = b - A x are columns.
//
// square, cholesky:  ||r|| <= p (||A|| ||x|| + ||b||), p = 3 u (1 + sqrt(n))
//   The least relative change of A and b together that makes x exact is ||r|| / (||A|| ||x|| + ||b||) (Rigal & Gaches 1967;
//   Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 7.1). Elimination with partial pivoting and
//   Cholesky reach some n u (ibid., theorems 9.4, 10.4), triangular solves too (8.5). cholesky: A = L L^H or U^H U.
// least_squares:     ||A^H r|| <= p ||A|| (||A|| ||x|| + ||b||)
//                    ||r|| <= ||r*|| + p (||A|| (||x|| + ||x*||) + 2 ||b||),  x*, r* of the exact solution
//   Householder QR solves min ||(b + db) - (A + dA) x|| with changes of relative size p (ibid., theorem 20.3). Its normal
//   equations, (A + dA)^H (b + db - (A + dA) x) = 0, give the first line, the minimum's own change the second.
// inverse:           ||A X - I|| or ||X A - I|| <= p ||A|| ||X||
//   Methods differ in the side on which their residual is small (ibid., section 14.3); either bounds the relative error by
//   p times the condition number.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

// Of a vector right-hand side the result has one dimension less than the matrix. Batch dimensions broadcast.
Judgement judge_solve(const Call& call, const Expected& expected, const Delivery& delivery, const Solve& contract);

}  // namespace kbx
