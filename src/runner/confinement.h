// SPDX-License-Identifier: Apache-2.0
// What each kind of runner gets to see and may do.
#pragma once

#include <string>
#include <vector>

#include "protocol/wire.h"
#include "runner/hosts.h"
#include "sandbox/sandbox.h"

namespace kbx {

// The lockdown of a runner that may read and write what `reach` says.
wire::Lockdown lockdown_for(const RunnerOptions& options, const Reach& reach, bool may_exec);

// What CUDA_VISIBLE_DEVICES must be in a runner that may see only the GPU `device`. The judge's ordinals count what its own
// value `own` (nullptr: not set) lets it see, which may be a list of ordinals or UUIDs. Empty, so that nothing is visible, where
// `device` is negative or beyond that list.
std::string visible_device(int device, const char* own);

// The environment of every runner: one thread a library, nothing written outside the scratch folder, and only the GPU `device`
// (an ordinal of the judge's) to be seen, or none where it is negative.
std::vector<std::string> runner_environment(const RunnerOptions& options);

// Each path at its own place, read-only.
std::vector<Bind> bind_all(const std::vector<std::string>& paths);

}  // namespace kbx
