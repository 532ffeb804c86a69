// SPDX-License-Identifier: Apache-2.0
// Device memory of the judge that runners of any namespace map: cuMemCreate allocations, exported as POSIX descriptors.
#pragma once

#include <cstddef>
#include <memory>

#include "core/result.h"
#include "runner/arena.h"

namespace kbx {

// One allocation of `bytes` on the device. Buffers start on 256 bytes; they fill the allocation from its end, so that the
// first one, which should be the biggest, ends as close to unmapped addresses as its alignment allows. The status page is host
// memory. Error: no driver, or not enough memory.
Result<std::unique_ptr<Arena>> make_cuda_arena(int device, size_t bytes);

}  // namespace kbx
