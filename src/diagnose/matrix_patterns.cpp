// SPDX-License-Identifier: Apache-2.0
#include "diagnose/matrix_patterns.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cond.h>
#include <ATen/ops/linalg_lu.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <functional>
#include <string>

#include "diagnose/advice.h"

namespace kbx {
namespace {

// An agreement to this many parts of the value on most elements is no accident, and float32 reaches it for any matrix whose
// result can be diagnosed at all.
constexpr double kAgreement = 1e-3;
// Blocked kernels leave rows at the seams that fit nothing.
constexpr double kMost = 0.75;
constexpr int64_t kFewest = 6;
constexpr int64_t kLargest = 1024;  // rows of a matrix that is decomposed for a diagnosis

at::Tensor wide(const at::Tensor& t) { return t.to(at::kCPU).to(t.is_complex() ? at::kComplexDouble : at::kDouble).contiguous(); }

at::Tensor scale_of(const at::Tensor& t) {
  const at::Tensor size = t.abs();
  return size + size.median();
}

struct Match {
  int64_t elements = 0, all = 0;
  bool good() const { return elements >= kFewest && static_cast<double>(elements) >= kMost * static_cast<double>(all); }
};

// Elements that the prediction hits and that are not the truth.
Match match(const at::Tensor& delivered, const at::Tensor& prediction, const at::Tensor& truth) {
  if (prediction.sizes() != delivered.sizes()) return {};
  const at::Tensor hit = (delivered - prediction).abs().le(kAgreement * scale_of(prediction));
  const at::Tensor tells = (prediction - truth).abs().gt(10 * kAgreement * scale_of(truth));
  return {hit.logical_and(tells).sum().item<int64_t>(), delivered.numel()};
}

struct Hypothesis {
  const char* pattern;
  std::string says;
  std::function<at::Tensor()> prediction;
};

at::Tensor diagonal_column(const at::Tensor& m) { return m.diagonal(0, -2, -1).unsqueeze(-1); }

at::Tensor solve_lower(const at::Tensor& l, const at::Tensor& b) { return at::linalg_solve_triangular(l, b, false, true, false); }
at::Tensor solve_upper(const at::Tensor& u, const at::Tensor& b) { return at::linalg_solve_triangular(u, b, true, true, false); }

std::vector<Hypothesis> of_square(const at::Tensor& a, const at::Tensor& b, const std::string& x, const std::string& rhs) {
  const auto lu = at::linalg_lu(a);
  const at::Tensor p = std::get<0>(lu), l = std::get<1>(lu), u = std::get<2>(lu);
  const at::Tensor pb = at::matmul(p, b), ptb = at::matmul(p.mT(), b);
  return {
      {"permutation_transposed", fmt::format("L U {} = P {} was solved, where A = P L U gives L U {} = P' {}", x, rhs, x, rhs),
       [=] { return solve_upper(u, solve_lower(l, pb)); }},
      {"permutation_ignored", fmt::format("L U {} = {} was solved: the rows were not permuted as A = P L U asks", x, rhs),
       [=] { return solve_upper(u, solve_lower(l, b)); }},
      {"matrix_transposed", fmt::format("A' {} = {} was solved, the system with the transposed matrix", x, rhs),
       [=] { return at::linalg_solve(a.mH(), b); }},
      {"half_solved", "the values are those after forward substitution: U was not used", [=] { return solve_lower(l, ptb); }},
      {"half_solved", "the values are those of back substitution alone: L was not used", [=] { return solve_upper(u, ptb); }},
      {"only_diagonal", fmt::format("the values are {} divided by the diagonal of A", rhs),
       [=] { return b / diagonal_column(a); }},
      {"only_diagonal", fmt::format("the values are {} in pivoted order divided by the diagonal of U", rhs),
       [=] { return ptb / diagonal_column(u); }},
      {"other_triangle", "the upper triangle of A alone was used as the matrix", [=] { return solve_upper(a.triu(), b); }},
      {"other_triangle", "the lower triangle of A alone was used as the matrix", [=] { return solve_lower(a.tril(), b); }},
  };
}

std::vector<Hypothesis> of_cholesky(const at::Tensor& factor, const at::Tensor& b, bool upper) {
  const at::Tensor l = upper ? factor.triu().mH() : factor.tril(), u = l.mH();  // A = l u
  const at::Tensor other = upper ? factor.tril().mH() : factor.triu();
  const at::Tensor diagonal = diagonal_column(l);
  return {
      {"only_diagonal", "most values are B divided by the squared diagonal of L: the substitution does not subtract solved rows",
       [=] { return b / (diagonal * diagonal.conj()); }},
      {"half_solved", "the values are those after the first of two substitutions", [=] { return solve_lower(l, b); }},
      {"half_solved", "the values are those of the second of two substitutions alone", [=] { return solve_upper(u, b); }},
      {"factors_exchanged", "L' L X = B was solved where A = L L'", [=] { return solve_lower(l, solve_upper(u, b)); }},
      {"factors_exchanged", "the same triangular factor was used in both substitutions",
       [=] { return solve_lower(l, solve_lower(l, b)); }},
      {"other_triangle", "the triangle of the factor that does not count was used",
       [=] { return at::linalg_solve(at::matmul(other, other.mH()), b); }},
  };
}

std::vector<Hypothesis> of_least_squares(const at::Tensor& a, const at::Tensor& b) {
  const auto qr = at::linalg_qr(a, "reduced");
  const at::Tensor r = std::get<1>(qr), qtb = at::matmul(std::get<0>(qr).mH(), b);
  return {
      {"only_diagonal", "the values are Q'b divided by the diagonal of R: nothing of R above the diagonal was used",
       [=] { return qtb / diagonal_column(r); }},
      {"half_solved", "the values are Q'b: R was not used", [=] { return qtb; }},
      {"matrix_transposed", "R' x = Q'b was solved, the system with the transposed triangle",
       [=] { return solve_lower(r.mH(), qtb); }},
  };
}

std::vector<Hypothesis> hypotheses(const WrongSolution& w, const at::Tensor& a, const at::Tensor& b) {
  switch (w.equation) {
    case Equation::square:
      return of_square(a, b, "x", "b");
    case Equation::inverse:
      return of_square(a, b, "X", "I");
    case Equation::cholesky:
      return of_cholesky(a, b, w.upper);
    case Equation::least_squares:
      return of_least_squares(a, b);
  }
  return {};
}

double condition(const WrongSolution& w) {
  at::Tensor a = wide(w.matrix);
  if (w.equation == Equation::cholesky) a = w.upper ? a.triu() : a.tril();
  const double kappa = at::linalg_cond(a).max().item<double>();
  return w.equation == Equation::cholesky || w.equation == Equation::least_squares ? kappa * kappa : kappa;
}

double relative_norm(const at::Tensor& residual, const at::Tensor& whole) {
  return at::linalg_vector_norm(residual).item<double>() / at::linalg_vector_norm(whole).item<double>();
}

}  // namespace

std::optional<Diagnosis> diagnose_solution(const WrongSolution& w) {
  if (w.matrix.numel() == 0 || w.matrix.size(-2) > kLargest || w.solution.numel() < kFewest) return std::nullopt;
  const at::Tensor a = wide(w.matrix);
  at::Tensor x = wide(w.solution), truth = wide(w.truth);
  if (!x.ne(0).any().item<bool>()) return std::nullopt;  // zeros agree with whatever is mostly zero
  at::Tensor b = w.right_hand_side.defined() ? wide(w.right_hand_side) : at::eye(a.size(-1), a.options()).expand_as(a);
  if (truth.dim() < a.dim())
    for (at::Tensor* vector : {&b, &x, &truth}) *vector = vector->unsqueeze(-1);
  try {
    for (const Hypothesis& h : hypotheses(w, a, b)) {
      const Match found = match(x, h.prediction(), truth);
      if (!found.good()) continue;
      const std::string share = found.elements == found.all ? "" : fmt::format(" ({} of {} elements)", found.elements, found.all);
      return diagnosis(h.pattern, h.says + share);
    }
  } catch (const c10::Error&) {
    // singular where a hypothesis needs an inverse: it explains nothing
  }
  return std::nullopt;
}

at::Tensor wrong_elements(const WrongSolution& w) {
  if (w.matrix.numel() == 0 || w.matrix.size(-2) > kLargest || w.truth.numel() == 0) return {};
  const double unit = c10::toRealValueType(w.solution.scalar_type()) == at::kDouble ? 0x1p-53 : 0x1p-24;
  const double relative = 100 * unit * condition(w);
  if (!(relative < 1e-2)) return {};
  const at::Tensor truth = wide(w.truth);
  return (wide(w.solution) - truth).abs().le(relative * truth.abs().max()).logical_not();
}

std::optional<Diagnosis> diagnose_lu(const at::Tensor& a_given, const at::Tensor& p_given, const at::Tensor& l_given,
                                     const at::Tensor& u_given) {
  const at::Tensor a = wide(a_given), l = wide(l_given), u = wide(u_given);
  const bool pivots = p_given.defined() && p_given.numel() > 0;
  const at::Tensor p = pivots ? wide(p_given).to(a.scalar_type()) : at::eye(a.size(-2), a.options());
  if (a.numel() == 0 || a.size(-2) > kLargest) return std::nullopt;
  const auto gives = [&](const at::Tensor& product) { return relative_norm(a - product, a) < kAgreement; };
  if (gives(at::matmul(p, at::matmul(l, u)))) return std::nullopt;
  if (pivots && gives(at::matmul(p.mT(), at::matmul(l, u))))
    return diagnosis("permutation_transposed", "P' L U gives A: P is the transpose of what A = P L U asks for");
  if (pivots && gives(at::matmul(l, u))) return diagnosis("permutation_ignored", "L U gives A without the P that was returned");
  const at::Tensor unit = at::eye(l.size(-2), l.options()).narrow(-1, 0, l.size(-1));
  if (gives(at::matmul(p, at::matmul(l.tril(-1) + unit, u))))
    return diagnosis("unit_diagonal", "A = P L U holds with ones on the diagonal of L, which are not there");
  if (gives(at::matmul(p, at::matmul(l.tril(-1) + unit, u.triu()))))
    return diagnosis("other_triangle", "A = P L U holds for the lower part of L and the upper part of U: the rest is not zero");
  return std::nullopt;
}

}  // namespace kbx
