// SPDX-License-Identifier: Apache-2.0
// One end of a control socket, and messages through it. Owns the descriptor. The other side is not trusted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/result.h"

namespace kbx {

class Channel {
 public:
  enum class State { done, would_block, closed, oversized };

  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  // This end, and the descriptor for the other side.
  static Result<std::pair<Channel, Descriptor>> open();

  int fd() const { return socket_.get(); }
  // Sends without waiting. REQUIRES: message.size() <= wire::kMaxMessage. Never `oversized`.
  State send(const std::string& message, const std::vector<int>& descriptors = {});
  // Receives without waiting. Descriptors sent along are dropped, unless `descriptor` takes the only one.
  State receive(std::string& message, Descriptor* descriptor = nullptr);

 private:
  Descriptor socket_;
};

}  // namespace kbx
