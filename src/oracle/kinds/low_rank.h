// SPDX-License-Identifier: Apache-2.0
// Contract `decomposition:low_rank`: X is a best approximation of A of rank k (the call's argument `k`) in the Frobenius
// norm. sigma are the singular values of A in float64, u the unit roundoff of the output's type, p = 12 u sqrt(max(m, n)):
//   rank:        sigma_{k+1}(X) <= p * sigma_1
//   optimum:     ||A - X||_F <= sqrt(sum_{i>k} sigma_i^2) + p * ||A||_F
//   stationary:  ||X^H (A - X)||_F, ||(A - X) X^H||_F <= p * sigma_1 * ||A||_F
// No matrix of rank k is nearer than the tail of the singular values (Eckart, Young & Mirsky; Golub & Van Loan, Matrix
// Computations, theorem 2.4.8). The last line sees what the distance does not: near the optimum an error that keeps the
// rank changes the distance only in second order, but X^H (A - X) in first order. All three hold for the truncated SVD
// of A + E with ||E|| <= p ||A||, whatever the gap between sigma_k and sigma_{k+1}; of equal singular values any may stay.
#pragma once

#include "oracle/judgement.h"

namespace kbx {

Judgement judge_low_rank(const Call& call, const Expected& expected, const Delivery& delivery);

}  // namespace kbx
