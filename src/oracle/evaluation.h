// SPDX-License-Identifier: Apache-2.0
// A call as a function of its tensors: the reference (or the task's own oracle) run on other inputs or in another precision.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/task.h"

namespace kbx {

// The tensors of a call that carry data, in the order of its arguments; those of `out` are not among them. Of a call
// without any, its numbers (Scalar and float arguments) as 0-dim float64 tensors: what it computes depends on them alone.
using Inputs = std::vector<at::Tensor>;

// Changes the floating (or complex) inputs; the others are passed on as they are.
Inputs map_floating(const Inputs& inputs, const std::function<at::Tensor(const at::Tensor&)>& change);
// The floating and complex inputs in that precision, the others unchanged.
Inputs cast_to(const Inputs& inputs, at::ScalarType precision);

// Where a call computes: the device of its tensors, or its device argument; the CPU where there is neither.
at::Device device_of(const Call& call);

// Starts torch's default generators of the CPU and of `device`; at::manual_seed would start every GPU of the machine.
void seed_generators(at::Device device, uint64_t seed);

class Evaluation {
 public:
  // `call` must outlive this.
  explicit Evaluation(const Call& call);

  // One output slot: a returned value, then each argument that the schema marks as written and that is no returned value.
  struct Slot {
    std::string name;
    int returned = -1, argument = -1;
    bool changed = true;        // an argument that the reference may write, but left as it was: no output
    bool shares_input = false;  // a returned value in the storage of some argument
  };

  const Inputs& inputs() const { return inputs_; }
  at::Device device() const { return device_; }
  // The call's own types are this precision throughout, so that in_precision(reference, inputs(), precision) is own().
  bool is_in(at::ScalarType precision) const;
  // Some input is floating or complex.
  bool has_real_inputs() const;

  // The reference, or another function of the same schema, with the call's own types. Fills slots(). Throws what it throws.
  std::vector<at::Tensor> own(Values (*function)(const Args&) = nullptr);
  const std::vector<Slot>& slots() const { return slots_; }

  // The outputs, parallel to slots(), of `function` on these inputs, which are cast to `precision` with `out` and every
  // dtype argument. The inputs keep their contents. REQUIRES: own() was called.
  std::vector<at::Tensor> in_precision(Values (*function)(const Args&), const Inputs& inputs, at::ScalarType precision) const;

 private:
  struct Run;
  Run run(Values (*function)(const Args&), Call call) const;

  const Call& call_;
  Inputs inputs_;
  at::Device device_ = at::kCPU;
  bool inputs_are_numbers_ = false;
  std::vector<Slot> slots_;
};

}  // namespace kbx
