// SPDX-License-Identifier: Apache-2.0
#include "pipeline/heat.h"

#include <optional>
#include <utility>

#include "catalogue/task.h"
#include "core/clock.h"
#include "measure/thread_scope.h"
#include "pipeline/bench.h"

namespace kbx {
namespace {

int64_t bytes_of(const at::Tensor& t) { return t.numel() * static_cast<int64_t>(t.itemsize()); }

std::vector<at::Tensor> tensors_of(const Argument& a) {
  if (a.kind == ArgumentKind::tensor && a.value.isTensor() && a.value.toTensor().defined()) return {a.value.toTensor()};
  if (a.kind == ArgumentKind::tensor_list) return a.value.toTensorVector();
  return {};
}

// The widest floating type among the inputs; where there is none, the first input's.
at::ScalarType deciding_type(const Call& call) {
  std::optional<at::ScalarType> type;
  for (const Argument& a : call.arguments)
    for (const at::Tensor& t : tensors_of(a)) {
      const bool wider = type && at::isFloatingType(*type) ? t.is_floating_point() && t.itemsize() > c10::elementSize(*type)
                                                           : !type || t.is_floating_point();
      if (wider) type = t.scalar_type();
    }
  return c10::toRealValueType(type.value_or(at::kFloat));
}

Cost cost_of(const Task& task, const Call& call, const Expected& truth) {
  if (task.cost == nullptr || truth.raises) return {};
  return task.cost(Args(call), run_reference(call));
}

}  // namespace

Heat::Heat(const Task& task, Case c, uint64_t seed, Call first, Expected truth, at::Device device)
    : task_(&task),
      c_(std::move(c)),
      seed_(seed),
      device_(device),
      first_(std::move(first)),
      truth_(std::move(truth)),
      timed_(truth_),
      cost_(cost_of(task, first_, truth_)),
      type_(deciding_type(first_)) {
  for (const Argument& a : first_.arguments)
    for (const at::Tensor& t : tensors_of(a)) set_bytes_ += bytes_of(t);
  for (const Truth& t : truth_.outputs)
    if (t.argument < 0) set_bytes_ += bytes_of(t.eager);
}

Result<Heat> Heat::prepare(const Task& task, const Case& c, uint64_t run_seed, at::Device device) {
  const ThreadScope beside(judge_threads());
  const uint64_t seed = derive_seed(run_seed, c.line);
  auto call = bind(task, c, seed, device, 0);
  if (!call) return call.error();
  const auto start = Clock::now();
  Expected truth = consult_oracle(*call);
  Heat heat(task, c, seed, *std::move(call), std::move(truth), device);
  heat.oracle_seconds_ = seconds_since(start);
  return heat;
}

Result<Call> Heat::contents(uint64_t index) const {
  if (index == 0) return first_;
  return bind(*task_, c_, seed_, device_, index);
}

}  // namespace kbx
