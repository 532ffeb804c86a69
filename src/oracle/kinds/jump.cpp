// SPDX-License-Identifier: Apache-2.0
#include "oracle/kinds/jump.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>

#include "core/check.h"
#include "oracle/budget.h"
#include "oracle/evaluation.h"
#include "oracle/sampling.h"

namespace kbx {
namespace {

// True where the sign of `decides` is a matter of rounding; also where it is NaN, which has no sign to speak of.
at::Tensor undecided(const at::Tensor& decides, const Samples& samples, at::ScalarType type) {
  const at::Tensor outside = decides.abs().gt(budget_of(samples, type).budget);
  const at::Tensor fixed = decides.eq(0).logical_and_(componentwise_change(samples.signs, samples.cauchy).eq(0));
  return outside.logical_or_(fixed).logical_not_();
}

}  // namespace

void attach_sides(const Call& call, Truth& truth) {
  KBX_CHECK(call.task->jump != nullptr);
  const ReferenceFunction jump = call.task->jump;
  Evaluation evaluation(call);
  const std::vector<at::Tensor> eager = evaluation.own(jump);
  const std::vector<at::Tensor> exact = evaluation.in_precision(jump, evaluation.inputs(), at::kDouble);

  const bool real = c10::isFloatingType(truth.dtype);
  std::vector<Sampled> sampled;
  truth.sides.clear();
  for (size_t s = 0; s < exact.size() && evaluation.slots()[s].returned >= 0; ++s) {
    KBX_CHECK(exact[s].sizes() == truth.value.sizes());
    if (s == 0 || real) sampled.push_back({s, exact[s].to(at::kDouble), eager[s]});
    if (s > 0) truth.sides.push_back(exact[s].to(truth.value.scalar_type()));
  }
  const std::vector<Samples> samples = sample(evaluation, jump, jump, sampled, call.seed);
  truth.free = undecided(sampled[0].truth, samples[0], eager[0].scalar_type());
  for (size_t i = 1; i < samples.size(); ++i) {
    const Budget budget = budget_of(samples[i], truth.dtype);
    truth.budget = i == 1 ? budget.budget : at::maximum(truth.budget, budget.budget);
    truth.spread = i == 1 ? budget.spread : at::maximum(truth.spread, budget.spread);
  }
}

at::Tensor nearest_side(const Truth& truth, const at::Tensor& y) {
  const at::Tensor wide = y.to(at::kDouble);
  const auto distance = [&](const at::Tensor& value) { return (wide - value.to(at::kDouble)).abs_(); };
  at::Tensor nearest = truth.value;
  for (const at::Tensor& side : truth.sides)
    nearest = at::where(distance(side).lt(distance(nearest)).logical_and_(truth.free), side, nearest);
  return nearest;
}

}  // namespace kbx
