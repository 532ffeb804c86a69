// SPDX-License-Identifier: Apache-2.0
// The roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): where a time lies between nothing and what the device can do.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>

#include "catalogue/task.h"
#include "core/verdict.h"
#include "measure/profile.h"

namespace kbx {

// The work of one perf case: of the task's cost model, the type of its (widest floating) inputs, and the accuracy that the
// candidate showed: a candidate of class tf32 is measured by the tf32 peak.
struct Work {
  Cost cost;
  at::ScalarType type = at::kFloat;
  Accuracy accuracy = Accuracy::fp32;
};

// Nothing where the work or a peak is not known (no cost, a type that the device has no peak for).
std::optional<Roofline> place(const Work& work, double seconds, const DeviceProfile& profile);

// The time below which no honest kernel can be, permissive in every doubt: the fastest way to touch that many bytes at a
// neighbouring footprint, the fastest unit that such inputs could be brought to, and what clever algorithms save (Winograd,
// Strassen). 0: nothing is known.
double floor_seconds(const Work& work, const DeviceProfile& profile);

}  // namespace kbx
