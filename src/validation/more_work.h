// SPDX-License-Identifier: Apache-2.0
// Candidates for the task relu that do a known amount more of the same work: they compute their input block by block, and the
// first few per cent of the blocks once more at the end.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "catalogue/cases.h"
#include "core/candidate.h"
#include "core/result.h"

namespace kbx {

// Per cent; the first does each block once.
constexpr int kMoreLevels[] = {0, 3, 5, 10};

// What they are raced on: on a GPU 131 to 524 MB of traffic, beyond its caches; on the CPU a few milliseconds of arithmetic.
std::vector<Case> more_work_cases(at::DeviceType device);

// REQUIRES: a case of more_work_cases(). log(blocks / (blocks + ceil(blocks x more / 100))): what the baseline that does each
// block once takes over the candidate's time.
double more_work_truth(const Case& c, at::DeviceType device, int more);

// Triton on a GPU, C++ on the CPU. Error: an incomplete installation.
Result<Candidate> more_work_candidate(at::DeviceType device, int more);
std::string more_work_entry(at::DeviceType device, int more);

}  // namespace kbx
