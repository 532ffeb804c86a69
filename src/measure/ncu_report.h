// SPDX-License-Identifier: Apache-2.0
// What ncu (Nsight Compute's command line) prints with --csv --page raw: one row for each kernel that it counted, below a row of
// names and a row of units. Format: its user manual, "Output Pages" (2025.3), and reports of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/verdict.h"

namespace kbx {

// One launch. Shares are 0 to 1.
struct CountedKernel {
  std::string name;
  double seconds = 0;
  double dram_bytes = 0;    // read and written
  double occupancy = 0;     // active warps / what the SMs hold
  double tensor_cores = 0;  // of the cycles in which an SM works
};

// What ncu has to be asked for, as --metrics takes it.
std::string ncu_metrics();

// What ncu says went wrong, with the remedy where the driver keeps the counters to administrators; nothing if it says nothing.
std::optional<Error> ncu_error(std::string_view text);

// The launches in order, at least one; lines that are no table are skipped. Error: that of ncu_error(); nothing was
// counted; no number for something that was asked for.
Result<std::vector<CountedKernel>> parse_ncu_report(std::string_view text);

// All launches together: bytes in sum, shares weighted by time. The case and its least bytes are the caller's.
// REQUIRES: not empty.
Counters sum_up(const std::vector<CountedKernel>& kernels);

}  // namespace kbx
