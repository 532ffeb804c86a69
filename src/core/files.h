// SPDX-License-Identifier: Apache-2.0
// Whole files, with errors that name the file and what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace kbx {

// The bytes of a regular file of at most `max_bytes`. Never blocks on a pipe or device. Error: there is no such file, it may
// not be read, it is a folder or another kind of thing, it is too large.
Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes);

// Writes beside the file and renames, so that readers see the old text or the new. Error: the folder and the reason.
Status write_file(const std::filesystem::path& path, std::string_view text);

// "4 MiB", "100 MB" style: "17 bytes", "1.5 MiB".
std::string human_bytes(uint64_t bytes);

}  // namespace kbx
