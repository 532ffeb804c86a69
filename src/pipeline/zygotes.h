// SPDX-License-Identifier: Apache-2.0
// The warm Python processes of one judge, one for each role, started when they are first wanted.
#pragma once

#include <future>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "core/result.h"
#include "runner/hosts.h"

namespace kbx {

// Safe from any thread.
class Zygotes {
 public:
  // `options`: those of the candidates' runners.
  explicit Zygotes(RunnerOptions options) : options_(std::move(options)) {}

  // The warm process for `role`; waits while it starts. Error: it does not start; the next call tries again.
  // REQUIRES: role is interpret, compile or cuda.
  Result<Zygote*> get(wire::Role role);
  // Begins to start them, so that none waits for another. From one thread, once.
  void start(std::initializer_list<wire::Role> roles);

 private:
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<Zygote> zygote;
  };

  RunnerOptions options_;
  Slot slots_[3];
  std::vector<std::future<void>> starting_;
};

}  // namespace kbx
