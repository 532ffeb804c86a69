// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "contracts/rounding.h"
#include "core/check.h"
#include "oracle/budget.h"
#include "oracle/evaluation.h"
#include "oracle/explanation.h"
#include "oracle/kinds/dropout.h"
#include "oracle/kinds/jump.h"
#include "oracle/kinds/stochastic.h"
#include "oracle/output_contract.h"
#include "oracle/precise_scope.h"
#include "oracle/sampling.h"
#include "oracle/truth.h"

namespace kbx {
namespace {

constexpr uint64_t kPerturbationStream = 0x9e3779b97f4a7c15;  // keeps the noise apart from inputs drawn from the same seed

void attach_budgets(const Evaluation& evaluation, ReferenceFunction truth_function, const Call& call, Expected& expected,
                    const std::vector<size_t>& slots) {
  std::vector<Sampled> reals, integers;
  std::vector<Truth*> real_truths, integer_truths;
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    Truth& truth = expected.outputs[i];
    if (std::holds_alternative<Jump>(contract_of(*call.task, truth))) attach_sides(call, truth);
    if (!std::holds_alternative<Numeric>(contract_of(*call.task, truth)) || truth.dtype == at::kBool) continue;
    const bool real = has_float_format(c10::toRealValueType(truth.dtype));
    (real ? reals : integers).push_back({slots[i], truth.value, truth.eager});
    (real ? real_truths : integer_truths).push_back(&truth);
  }
  const uint64_t seed = call.seed ^ kPerturbationStream;
  if (!reals.empty()) {
    const std::vector<Samples> samples = sample(evaluation, truth_function, call.task->reference, reals, seed);
    for (size_t i = 0; i < reals.size(); ++i) {
      Truth& truth = *real_truths[i];
      Budget budget = budget_of(samples[i], c10::toRealValueType(truth.dtype));
      if (c10::isComplexType(truth.dtype)) budget = {budget.budget.amax(-1), budget.spread.amax(-1)};
      truth.budget = budget.budget;
      truth.spread = budget.spread;
    }
  }
  if (!integers.empty() && evaluation.has_real_inputs()) {
    const std::vector<at::Tensor> ties = rounding_ties(evaluation, truth_function, integers, seed);
    for (size_t i = 0; i < integers.size(); ++i)
      if (ties[i].any().item<bool>()) integer_truths[i]->budget = ties[i];
  }
}

}  // namespace

Expected consult_oracle(const Call& call) {
  const PreciseScope precise;
  const Task& task = *call.task;
  const auto* stochastic = std::get_if<Stochastic>(&task.contract.front());
  const bool random = is_random(call);
  if (stochastic && !random) return consult_oracle(SettledCall(call).call());
  Evaluation evaluation(call);
  const std::vector<at::Tensor> eager = evaluation.own();
  const ReferenceFunction truth_function = task.oracle ? task.oracle : task.reference;
  // A random result in float64 is another draw: of that the eager one is the only sample.
  const std::vector<at::Tensor> values =
      random ? eager : evaluation.in_precision(truth_function, evaluation.inputs(), at::kDouble);

  Expected expected;
  std::vector<size_t> slots;
  for (size_t s = 0; s < eager.size(); ++s) {
    const Evaluation::Slot& slot = evaluation.slots()[s];
    if (!slot.changed) continue;
    Truth truth = truth_of(call, slot, detached_from(evaluation.inputs(), eager[s]));
    truth.value = detached_from(evaluation.inputs(), as_truth(values[s], truth.eager));
    KBX_CHECK(truth.value.sizes() == truth.eager.sizes());
    expected.outputs.push_back(std::move(truth));
    slots.push_back(s);
  }
  attach_budgets(evaluation, truth_function, call, expected, slots);
  expected.explanations = std::make_shared<Expected::Explanations>();
  if (random && stochastic->distribution == Distribution::dropout) expected.masks = prepare_masks(call);
  return expected;
}

Values run_reference(const Call& call) {
  const PreciseScope precise;
  const Call copy = call.clone();
  Evaluation evaluation(copy);
  const std::vector<at::Tensor> outputs = evaluation.own();
  Values returned;
  for (size_t s = 0; s < outputs.size(); ++s)
    if (evaluation.slots()[s].returned >= 0) returned.push_back(outputs[s]);
  return returned;
}

}  // namespace kbx
