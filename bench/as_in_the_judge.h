// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/Parallel.h>
#include <malloc.h>

#include <climits>

namespace kbx {

// Sets this process up like the judge and its runners: one thread, and freed memory is kept, so that fresh results cost no page
// faults.
inline void work_as_in_the_judge() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  at::set_num_threads(1);
}

}  // namespace kbx
