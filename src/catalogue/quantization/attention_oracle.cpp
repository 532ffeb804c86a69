// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include <cmath>

#include "catalogue/quantization/integer_scheme.h"
#include "catalogue/quantization/w8a8.h"

namespace kbx {
namespace {

constexpr double kU = kFloat32Roundoff;

}  // namespace

// A tie of query or key moves scores, and with them probabilities, some of which then round to another integer.
Values w8a8_attention_oracle(const Args& args) {
  const at::Tensor query = args.tensor("query"), key = args.tensor("key");
  const IntegerTensor q = to_integers(query, {-1}), k = to_integers(key, {-1}), v = to_integers(args.tensor("value"), {-2});
  if (q.q.numel() == 0 || k.q.numel() == 0)
    return {at::matmul(at::matmul(q.q, k.q.mT()), v.q), at::matmul(at::matmul(q.q, k.q.mT()), v.q)};

  const at::Tensor unit = q.scale * k.scale.mT() / std::sqrt(static_cast<double>(query.size(-1)));
  const at::Tensor scores = at::matmul(q.q, k.q.mT()) * unit;
  const at::Tensor steps =
      at::matmul(q.ties, k.q.abs().mT()) + at::matmul(q.q.abs(), k.ties.mT()) + at::matmul(q.ties, k.ties.mT());
  constexpr double kRoundings = 8;
  const at::Tensor off_scores = steps * unit + kRoundings * kU * scores.abs();

  // The largest probability of a row has the integer 127, and each other one 127 exp(score - largest score).
  const at::Tensor below = scores - scores.amax(-1, true);
  const at::Tensor off_below = off_scores + off_scores.amax(-1, true) + kU * below.abs();
  const at::Tensor t = kInt8Levels * below.exp();
  const at::Tensor off_t = t * (off_below.expm1() + kRoundings * kU) + kRoundings * kU;
  const at::Tensor p = t.round(), off_p = integers_off(t, off_t);

  // scale of P: max of p / 127 = 1 / (127 sum of exp).
  const at::Tensor total = t.sum(-1, true), scale = v.scale / total;
  const at::Tensor value = at::matmul(p, v.q) * scale;
  const at::Tensor off_total = off_t.sum(-1, true) / total + summation_roundings(t.size(-1)) * kU;
  const at::Tensor off_steps = at::matmul(off_p, v.q.abs()) + at::matmul(p, v.ties) + at::matmul(off_p, v.ties);
  return {value, off_steps * scale * (1 + off_total) + value.abs() * off_total};
}

}  // namespace kbx
