// SPDX-License-Identifier: Apache-2.0
// What a runner calls: a candidate's library, or the reference. The rest of a runner is the same for both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/arguments.h"
#include "protocol/wire.h"

namespace kbx::runner {

struct LoadOrder {
  std::string path;
  std::vector<std::string> entries;
  bool append_seed = false;  // the call's seed is one more argument
};

class Callee {
 public:
  virtual ~Callee() = default;
  // Opens the library and finds the first of the entries; returns it. Throws Failure.
  virtual std::string load(const LoadOrder& order) = 0;
  // Keeps the set, in place of that with the same number. Throws Failure.
  virtual void prepare(ArgumentSet set) = 0;
  // One call, timed. Throws Failure.
  struct Outcome {
    uint64_t nanoseconds = 0;
    std::vector<wire::Leaf> leaves;
  };
  virtual Outcome call(uint32_t set, uint64_t seed) = 0;

  struct Call {
    uint32_t set = 0;
    uint64_t seed = 0;
  };
  // The calls, with nothing else between them; forgets what an earlier time() kept, then keeps their results. Claimed
  // nanoseconds as in `timed` (docs/protocol.md). Throws Failure, and then nothing is kept.
  virtual std::vector<uint64_t> time(wire::Timing how, const std::vector<Call>& calls) = 0;
  // The results that time() kept, in order, copied to where the judge looks for them; afterwards none are kept. Throws Failure.
  virtual std::vector<Outcome> deliver() = 0;
};

// Confines the process, then answers requests on descriptor 3 until the judge stops or goes away. Returns the exit status.
// For the kernels of a GPU, open_device_census() comes before.
int serve(Callee& callee);

}  // namespace kbx::runner
