// SPDX-License-Identifier: Apache-2.0
// Loading of libtorch's CUDA half: only when a GPU is asked for, so that the CPU path never pays for it.
#pragma once

#include "core/result.h"

namespace kbx {

// Makes ATen usable on CUDA device `ordinal` and turns reduced precision off. Error: no driver, no such device, a wheel
// without CUDA; with the remedy.
Status load_cuda(int ordinal);

}  // namespace kbx
