// SPDX-License-Identifier: Apache-2.0
// Device memory of the judge, imported through the driver. libcuda is loaded at run time, so the runner also starts without it.
#pragma once

#include <cstdint>
#include <memory>

#include "native/segments.h"
#include "protocol/wire.h"

namespace kbx::runner {

// Makes the context current in this thread on first use (device 0 of those visible). Throws Failure.
std::unique_ptr<Mapping> map_device(const wire::Segment& segment, int fd);

// Waits for all work of the context. Throws Failure{call, "cuda error"} if any of it failed; its last line says which kernels
// the call had launched.
void synchronise_device();

// Device time between two events of the legacy default stream; what runs on streams that do not wait for that one is not seen.
// end_device_span() waits as synchronise_device() does, and returns nanoseconds. Both throw Failure.
void begin_device_span();
uint64_t end_device_span();

// Waits as well. False: a fault has broken the context. True where no context was made.
bool device_is_well();

}  // namespace kbx::runner
