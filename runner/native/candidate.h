// SPDX-License-Identifier: Apache-2.0
// A candidate's shared library, called through TVM-FFI's C ABI.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "native/callee.h"

namespace kbx::runner {

class CandidateLibrary final : public Callee {
 public:
  std::string load(const LoadOrder& order) override;
  void prepare(ArgumentSet set) override;
  Outcome call(uint32_t set, uint64_t seed) override;
  std::vector<uint64_t> time(wire::Timing how, const std::vector<Call>& calls) override;
  std::vector<Outcome> deliver() override;

 private:
  // Arguments as the function takes them. `arguments` views into the rest.
  struct Bound {
    ArgumentSet source;
    std::deque<DLTensor> tensors;
    std::vector<tvm::ffi::Any> owned;
    std::vector<tvm::ffi::AnyView> arguments;
    bool on_device = false;
  };
  static void bind(Bound& bound, Argument& argument);
  static DLTensor* view(Bound& bound, PlacedTensor& tensor);
  // The set for a call; throws Failure.
  Bound& ready(uint32_t set);
  // The function, which has been given everything; throws Failure.
  void invoke(const std::vector<tvm::ffi::AnyView>& arguments, bool on_device, tvm::ffi::Any& result) const;

  TVMFFISafeCallType function_ = nullptr;
  LoadOrder order_;
  std::map<uint32_t, Bound> sets_;
  std::vector<tvm::ffi::Any> kept_;  // what the calls of time() returned
};

}  // namespace kbx::runner
