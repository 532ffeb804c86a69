// SPDX-License-Identifier: Apache-2.0
// `kbx calibrate`: what the device can do at best, measured and kept for judging.
#pragma once

namespace kbx {

// Returns the exit status: 0 measured and stored, or shown; 2 usage; 6 trouble.
int calibrate(int argc, char** argv);

}  // namespace kbx
