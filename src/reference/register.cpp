// SPDX-License-Identifier: Apache-2.0
// libkbx_reference.so: loading it registers each task's reference as torch.ops.kbx.<entry>, with the task's schema. As
// CompositeImplicitAutograd they run on any device and torch.compile traces through them.
#include <torch/library.h>

#include <memory>

#include "catalogue/schema.h"
#include "catalogue/task.h"

namespace kbx {
namespace {

class ReferenceKernel final : public c10::OperatorKernel {
 public:
  explicit ReferenceKernel(const Task& task) : task_(task) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
    size_t count = op.schema().arguments().size();
    Call call = call_from_values(task_, torch::jit::pop(*stack, count));
    Values values = task_.reference(Args(call));
    values.resize(op.schema().returns().size());  // a result that the call does not ask for is None
    for (at::Tensor& value : values) stack->emplace_back(std::move(value));
  }

 private:
  const Task& task_;
};

}  // namespace
}  // namespace kbx

TORCH_LIBRARY(kbx, library) {
  for (const kbx::Task& task : kbx::catalogue()) {
    library.def(std::string(task.schema).c_str());
    auto kernel = torch::CppFunction::makeFromBoxedFunctor(std::make_unique<kbx::ReferenceKernel>(task));
    library.impl(kbx::entry(task).c_str(), torch::dispatch(c10::DispatchKey::CompositeImplicitAutograd, std::move(kernel)));
  }
}
