// SPDX-License-Identifier: Apache-2.0
// Tasks that exist only in a test, and calls of them with given values.
#pragma once

#include <ATen/core/ivalue.h>

#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/schema.h"
#include "catalogue/task.h"
#include "oracle/judgement.h"
#include "oracle/oracle.h"

namespace kbx::testing {

inline Task local_task(std::string_view schema, Values (*reference)(const Args&), Contract contract = numeric()) {
  Task task{};
  task.id = "local";
  task.schema = schema;
  task.reference = reference;
  task.contract = std::move(contract);
  return task;
}

// Values in schema order. The task must outlive the call.
inline Call call_of(const Task& task, std::vector<c10::IValue> values, uint64_t seed = 7) {
  Call call = call_from_values(task, std::move(values));
  call.seed = seed;
  return call;
}

inline Judgement judge(const Call& call, const Expected& expected, const std::vector<at::Tensor>& outputs) {
  Delivery delivery;
  for (const at::Tensor& output : outputs) delivery.push_back({output, ""});
  return judge_outputs(call, expected, {delivery});
}

inline Judgement judge(const Call& call, const at::Tensor& output) { return judge(call, consult_oracle(call), {output}); }

}  // namespace kbx::testing
