// SPDX-License-Identifier: Apache-2.0
#include "oracle/timed.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "contracts/disagreement.h"
#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/evaluation.h"
#include "oracle/kinds/jump.h"
#include "oracle/output_contract.h"
#include "oracle/precise_scope.h"
#include "oracle/truth.h"

namespace kbx {
namespace {

// Half a rounding at each element, of a complex one at its larger part, and what is allowed on top.
at::Tensor budget_around(const at::Tensor& eager, double allowed) {
  if (!eager.is_complex()) return half_ulp_plus(eager, allowed);
  return half_ulp_plus(at::view_as_real(eager.resolve_conj()).abs().amax(-1), allowed);
}

}  // namespace

TimedTruth::TimedTruth(const Expected& measured) {
  for (const Truth& truth : measured.outputs) {
    Output output{.like = truth};
    output.spread = truth.spread.defined();
    output.numeric = truth.budget.defined() && has_float_format(c10::toRealValueType(truth.dtype));
    if (output.numeric && truth.budget.numel() > 0) output.allowed = 2 * truth.budget.max().item<double>();
    for (at::Tensor* contents :
         {&output.like.value, &output.like.budget, &output.like.spread, &output.like.eager, &output.like.free})
      contents->reset();
    output.like.sides.clear();
    outputs_.push_back(std::move(output));
  }
}

const TimedTruth::Output* TimedTruth::find(int returned, int argument) const {
  const auto found =
      std::ranges::find_if(outputs_, [&](const Output& o) { return o.like.returned == returned && o.like.argument == argument; });
  return found == outputs_.end() ? nullptr : &*found;
}

Expected TimedTruth::run_eager(const Call& call) const {
  const PreciseScope precise;
  Evaluation evaluation(call);
  const std::vector<at::Tensor> eager = evaluation.own();
  Expected expected;
  for (size_t s = 0; s < eager.size(); ++s) {
    const Evaluation::Slot& slot = evaluation.slots()[s];
    const Output* known = find(slot.returned, slot.argument);
    if (known == nullptr) continue;
    Truth truth = known->like;
    truth.eager = detached_from(evaluation.inputs(), eager[s]);
    truth.shape = truth.eager.sizes().vec();
    expected.outputs.push_back(std::move(truth));
  }
  return expected;
}

at::Tensor TimedTruth::doubtful(const Call& call, const Expected& eager, const Delivery& delivery) const {
  KBX_CHECK_EQ(delivery.size(), eager.outputs.size());
  const auto options = at::TensorOptions().dtype(at::kBool).device(device_of(call));
  std::vector<at::Tensor> doubts;
  for (size_t i = 0; i < delivery.size(); ++i) {
    const Truth& truth = eager.outputs[i];
    const at::Tensor& y = delivery[i].value;
    const bool exact = std::holds_alternative<Exact>(contract_of(*call.task, truth));
    const Output& output = *find(truth.returned, truth.argument);
    if (!y.defined() || y.scalar_type() != truth.dtype || y.sizes() != truth.eager.sizes()) return at::ones({}, options);
    // Half of what is allowed, so that no rounding of this difference matters. By any contract eager's own result is right.
    if (y.numel() > 0) doubts.push_back(exceeds(y, truth.eager, output.numeric && !exact ? output.allowed / 2 : 0));
  }
  return doubts.empty() ? at::zeros({}, options) : at::stack(doubts).any();
}

Expected TimedTruth::complete(const Call& call, Expected eager) const {
  const PreciseScope precise;
  for (Truth& truth : eager.outputs) {
    const Output& output = *find(truth.returned, truth.argument);
    truth.value = as_truth(truth.eager, truth.eager);
    if (std::holds_alternative<Jump>(contract_of(*call.task, truth))) attach_sides(call, truth);
    if (output.numeric) truth.budget = budget_around(truth.eager, output.allowed);
    if (output.spread) truth.spread = at::zeros(truth.eager.sizes(), truth.eager.options().dtype(at::kDouble));
  }
  return eager;
}

}  // namespace kbx
