// SPDX-License-Identifier: Apache-2.0
#include "pipeline/zygotes.h"

namespace kbx {

Result<Zygote*> Zygotes::get(wire::Role role) {
  Slot& slot = slots_[static_cast<int>(role) - static_cast<int>(wire::Role::interpret)];
  std::lock_guard lock(slot.mutex);
  if (!slot.zygote) {
    RunnerOptions options = options_;
    options.threads = 1;                                   // a process that forks must have one thread
    if (role == wire::Role::compile) options.device = -1;  // it compiles for a GPU and needs none
    auto started = Zygote::start(role, options);
    if (!started) return started.error();
    slot.zygote = *std::move(started);
  }
  return slot.zygote.get();
}

void Zygotes::start(std::initializer_list<wire::Role> roles) {
  if (!starting_.empty()) return;
  for (wire::Role role : roles)
    starting_.push_back(std::async(std::launch::async, [this, role] { static_cast<void>(get(role)); }));
}

}  // namespace kbx
