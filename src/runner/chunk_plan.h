// SPDX-License-Identifier: Apache-2.0
// Which buffer lies where in the exported allocations of a device. Numbers only: no memory is touched.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "runner/arena.h"

namespace kbx {

// Chunks are allocations that are mapped whole, for reading or for writing. As long as there are few of them each buffer has
// one to itself and ends at its end; then buffers share one, from its end downwards, with red zones between them.
class ChunkPlan {
 public:
  static constexpr size_t kAlignment = 256;
  static constexpr size_t kRedZone = 4096;      // before a buffer, at least
  static constexpr size_t kOwnChunks = 32;      // of each access, before buffers share
  static constexpr size_t kShared = 64u << 20;  // length of a chunk for several buffers

  // `granularity`: of allocations. `limit`: bytes of all chunks together, at least one of them.
  ChunkPlan(size_t granularity, size_t limit) : granularity_(granularity), limit_(limit) {}

  struct Place {
    size_t chunk, start;
  };
  // Where a buffer of `bytes` goes. Empty: a chunk has to be added first. REQUIRES: misalign < kAlignment.
  std::optional<Place> place(size_t bytes, size_t misalign, Access access);
  // Length of the chunk that place() lacks. Empty: the limit does not allow it.
  std::optional<size_t> wanted(size_t bytes, Access access) const;
  // Gives the new chunk's index.
  size_t add(size_t length, Access access);
  // Forgets the buffers; the chunks stay.
  void reset();

  using Gap = std::pair<size_t, size_t>;  // [begin, end)
  // The red zones of a chunk, ascending: behind its last buffer, between two, and kRedZone before the first.
  std::vector<Gap> gaps(size_t chunk) const;
  // The buffer (by order of placing) nearest to a byte of a red zone.
  Arena::Trespass nearest(size_t chunk, size_t at) const;

  size_t size() const { return chunks_.size(); }
  size_t length(size_t chunk) const { return chunks_[chunk].length; }
  Access access(size_t chunk) const { return chunks_[chunk].access; }

 private:
  struct Range {
    size_t buffer, start, end;
  };
  struct Chunk {
    size_t length, free;  // bytes [0, free) are unused
    Access access;
    std::vector<Range> ranges = {};  // descending
  };
  std::optional<size_t> fitting(size_t bytes, Access access) const;
  size_t count(Access access) const;

  size_t granularity_, limit_, used_ = 0, buffers_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace kbx
