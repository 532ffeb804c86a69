// SPDX-License-Identifier: Apache-2.0
// The runner's end of the control socket: descriptor 3.
#pragma once

#include <string>
#include <vector>

namespace kbx::runner {

constexpr int kSocket = 3;

// Waits for the next request and the descriptors sent with it (the caller closes them). False: the judge is gone.
bool receive(std::string& message, std::vector<int>& descriptors);

// Sends an answer; ends the process if that is impossible, for then nobody listens any more.
void send(const std::string& message);

}  // namespace kbx::runner
