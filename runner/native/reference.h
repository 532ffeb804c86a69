// SPDX-License-Identifier: Apache-2.0
// The reference of a task as the baseline that is raced: operator kbx::<entry>, called through the dispatcher.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "native/callee.h"

namespace kbx::runner {

class ReferenceLibrary final : public Callee {
 public:
  std::string load(const LoadOrder& order) override;
  void prepare(ArgumentSet set) override;
  Outcome call(uint32_t set, uint64_t seed) override;

 private:
  struct Bound {
    std::vector<c10::IValue> arguments;
    std::vector<at::Tensor> destinations;
    bool on_device = false;
  };
  std::optional<c10::OperatorHandle> operator_;
  std::map<uint32_t, Bound> sets_;
};

}  // namespace kbx::runner
