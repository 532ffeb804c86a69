// SPDX-License-Identifier: Apache-2.0
// Device memory of the judge that runners of any namespace map: cuMemCreate allocations, exported as POSIX descriptors.
#pragma once

#include <cstddef>
#include <memory>

#include "core/result.h"
#include "runner/arena.h"

namespace kbx {

// Up to `bytes` on the device. Buffers start on 256 bytes and lie as ChunkPlan says: as long as there are few, each ends as
// close to unmapped addresses as its alignment allows. Those that the runner may only read lie in allocations of their own, which
// it maps read-only where the driver can; since it is not trusted to, inputs are compared all the same. The status page is
// host memory. Error: no driver, or not enough memory.
Result<std::unique_ptr<Arena>> make_cuda_arena(int device, size_t bytes);

}  // namespace kbx
