// SPDX-License-Identifier: Apache-2.0
// The arena that a runner's device needs.
#pragma once

#include <memory>

#include "core/result.h"
#include "runner/arena.h"
#include "runner/hosts.h"

namespace kbx {

Result<std::unique_ptr<Arena>> make_arena(const RunnerOptions& options);

}  // namespace kbx
