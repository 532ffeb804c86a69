// SPDX-License-Identifier: Apache-2.0
#include "runner/arenas.h"

#include "runner/cuda_arena.h"

namespace kbx {

Result<std::unique_ptr<Arena>> make_arena(const RunnerOptions& options) {
  return options.device < 0 ? make_host_arena(options.arena_bytes) : make_cuda_arena(options.device, options.arena_bytes);
}

}  // namespace kbx
