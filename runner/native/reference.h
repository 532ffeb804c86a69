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
  std::vector<uint64_t> time(wire::Timing how, const std::vector<Call>& calls) override;
  std::vector<Outcome> deliver() override;

 private:
  struct Bound {
    std::vector<c10::IValue> arguments;
    std::vector<at::Tensor> destinations;
    bool on_device = false;
  };
  // The arguments of a call before it, its results after it.
  struct Kept {
    uint32_t set = 0;
    torch::jit::Stack stack;
  };
  // The set for a call; throws Failure.
  Bound& ready(uint32_t set);
  // Copies results to their destinations.
  static std::vector<wire::Leaf> hand_out(const torch::jit::Stack& results, Bound& bound);

  std::optional<c10::OperatorHandle> operator_;
  std::map<uint32_t, Bound> sets_;
  std::vector<Kept> kept_;  // of time()
};

}  // namespace kbx::runner
