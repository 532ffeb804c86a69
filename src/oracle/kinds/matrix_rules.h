// SPDX-License-Identifier: Apache-2.0
// What contracts about matrices share: norms, and a judgement that is built up requirement by requirement. Matrices are
// float64 or complex128, with any leading batch dimensions.
#pragma once

#include <string>

#include "oracle/judgement.h"
#include "oracle/kinds/form.h"

namespace kbx {

// One inequality: the largest error over the batch against its allowance there.
struct Quantity {
  double error = 0, allowance = 0;
  // False where the error is NaN.
  bool holds() const { return error <= allowance; }
  double ratio() const;
};
// The entry with the largest error / allowance. What fp32 may lose to underflow is added to the allowance, as everywhere in
// the error budgets. `allowance` broadcasts to `error`. Nothing for empty tensors.
Quantity worst(const at::Tensor& error, const at::Tensor& allowance);

at::Tensor frobenius(const at::Tensor& matrix);
// The largest singular value; 0 for matrices without elements.
at::Tensor spectral_norm(const at::Tensor& matrix);

// In float64 or complex128.
at::Tensor widened(const at::Tensor& value);
// The call's first tensor argument that is not an `out`, widened.
at::Tensor first_matrix(const Call& call);

class MatrixJudgement {
 public:
  // `type`: of the outputs; `p`: the relative error that the inequalities allow.
  MatrixJudgement(std::string contract, at::ScalarType type, double p);

  // Whether every output came with its type and shape and is finite; what did not is rejected.
  bool well_formed(const Expected& expected, const Delivery& delivery);
  // Rejects where the inequality does not hold.
  void require(const Truth& truth, const Quantity& quantity, const std::string& what);
  // Rejects if there is a true element in `wrong`; `value` is what was delivered.
  void require_none(const Truth& truth, const at::Tensor& value, const at::Tensor& wrong, const std::string& what);
  Judgement result() const;

 private:
  void reject(Finding finding);

  std::string contract_;
  at::ScalarType type_;
  double p_;
  double relative_ = 0;  // the worst error in units of its norm
  Judgement judgement_;
};

}  // namespace kbx
