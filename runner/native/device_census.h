// SPDX-License-Identifier: Apache-2.0
// runner/device/census.h for this process, found at run time. Without it, or without CUPTI, everything here does nothing.
#pragma once

#include <string>
#include <vector>

#include "protocol/wire.h"

namespace kbx::runner {

// Where libkbx_census.so and libcupti lie; empty: none. Opened at once, before the process is confined.
void open_device_census(const std::string& library, const std::string& cupti);

// Begins to record, and keeps the page up to date (may be null). Before the candidate is loaded.
void start_device_census(wire::StatusPage* page);

// A call begins.
void mark_launches();

// Whether kernels and launches are recorded from now on, at a cost to each launch.
void watch_launches(bool on);

// Says on the page that the device is waited for.
void note_waiting();

// The GPU time of calls: begin, trace_call() as each begins, and after the device was waited for, the nanoseconds of each. Throws
// Failure{unsupported, "cupti"} where CUPTI does not run or has lost something.
void begin_trace();
void trace_call();
std::vector<uint64_t> end_trace(size_t calls);

// ": in kernel ..." or similar for a fault of the device; empty where nothing is known.
std::string blame_launches();

// Its JSON object; `{}` where there is none.
std::string device_report(bool flush);

// Why kernels are not seen; empty where they are, or where nobody asked.
const std::string& why_unseen();

}  // namespace kbx::runner
