// SPDX-License-Identifier: Apache-2.0
// The process behind a runner: started by the sandbox or forked by a zygote.
#pragma once

#include <cstdint>

#include "sandbox/sandbox.h"

namespace kbx {

class Child {
 public:
  virtual ~Child() = default;                   // kills and reaps what still runs
  virtual int pidfd() const = 0;                // readable when the process has ended
  virtual uint64_t resident_bytes() const = 0;  // of it and its descendants; 0 if it has ended
  virtual void kill() = 0;
  // Waits until it has ended. REQUIRES: called once.
  virtual Process::Exit wait() = 0;
};

}  // namespace kbx
