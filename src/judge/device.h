// SPDX-License-Identifier: Apache-2.0
// Loading of libtorch's CUDA half: only when a GPU is asked for, so that the CPU path never pays for it.
#pragma once

#include <optional>
#include <string_view>

#include "core/result.h"

namespace kbx {

// The ordinal that "cuda" or "cuda:N" means, -1 for "cpu", nothing for another text.
std::optional<int> device_named(std::string_view text);

// Loads the libraries and starts no device, so that processes forked afterwards can. Error: as for load_cuda().
Status load_cuda_libraries();

// Makes ATen usable on CUDA device `ordinal` and turns reduced precision off. Error: no driver, no such device, a wheel
// without CUDA; with the remedy.
Status load_cuda(int ordinal);

}  // namespace kbx
