// SPDX-License-Identifier: Apache-2.0
// The memory by which files go into and come out of a runner. What comes out is hostile: only its size is bounded, and its paths
// are such that they cannot lead out of a folder.
#pragma once

#include <optional>
#include <vector>

#include "core/descriptor.h"
#include "core/result.h"
#include "runner/messages.h"
#include "runner/runner.h"

namespace kbx {

constexpr uint64_t kMaxHarvest = 64u << 20;

// The files one after another, in a memfd that nobody can change. Error: no memory.
Result<Descriptor> sealed_memory(const std::vector<RunnerFile>& files);

// kMaxHarvest bytes that a runner may write and cannot resize. Error: no memory.
Result<Descriptor> harvest_memory();

// What a runner says that it wrote there. Nothing if a path is not FOLDER/FILE of ASCII letters, digits and `_-.` with neither
// beginning with a dot, if one occurs twice, or if the sizes do not fit. The runner may write meanwhile: the bytes are then any.
std::optional<std::vector<RunnerFile>> read_harvest(int memory, const std::vector<HarvestEntry>& entries);

}  // namespace kbx
