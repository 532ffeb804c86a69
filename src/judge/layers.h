// SPDX-License-Identifier: Apache-2.0
// How far candidates are kept apart from this machine.
#pragma once

#include "core/result.h"
#include "sandbox/sandbox.h"

namespace kbx {

// What the machine offers, or nothing at all without `sandbox` (--no-sandbox). Error: less than Landlock and the system call
// filter.
Result<Layers> layers_for(bool sandbox);

}  // namespace kbx
