// SPDX-License-Identifier: Apache-2.0
// Device memory of the judge, imported through the driver. libcuda is loaded at run time, so the runner also starts without it.
#pragma once

#include <memory>

#include "native/segments.h"
#include "protocol/wire.h"

namespace kbx::runner {

// Makes the context current in this thread on first use (device 0 of those visible). Throws Failure.
std::unique_ptr<Mapping> map_device(const wire::Segment& segment, int fd);

// Waits for all work of the context. Throws Failure{call, "cuda error"} if any of it failed; its last line says which kernels
// the call had launched.
void synchronise_device();

// Waits as well. False: a fault has broken the context. True where no context was made.
bool device_is_well();

}  // namespace kbx::runner
