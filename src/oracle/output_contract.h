// SPDX-License-Identifier: Apache-2.0
// Which of a task's contracts holds for an output.
#pragma once

#include "catalogue/task.h"
#include "core/check.h"
#include "oracle/oracle.h"

namespace kbx {

// The contract of an output: the only one, or that of its returned value. Written arguments that are not returned are
// numeric where each returned value has a contract of its own.
inline OutputContract contract_of(const Task& task, const Truth& truth) {
  KBX_CHECK(!task.contract.empty());
  if (task.contract.size() == 1) return task.contract.front();
  if (truth.returned < 0) return Numeric{};
  KBX_CHECK_LT(static_cast<size_t>(truth.returned), task.contract.size());
  return task.contract[truth.returned];
}

}  // namespace kbx
