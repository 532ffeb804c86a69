// SPDX-License-Identifier: Apache-2.0
// The files that belong to a C++ or CUDA candidate because it includes them. Internal to intake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/candidate.h"
#include "core/result.h"

namespace kbx::intake {

// Appends to `files` (paths relative to `folder`) every file below `folder` that they include by #include "...", directly or
// not. Names that are not there are left to the compiler. Links that lead out of the folder are not followed. Error: a file
// that is no text, or more than `max_bytes` in all.
Status add_includes(const std::filesystem::path& folder, std::vector<SourceFile>& files, uint64_t max_bytes);

}  // namespace kbx::intake
