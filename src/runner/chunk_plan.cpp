// SPDX-License-Identifier: Apache-2.0
#include "runner/chunk_plan.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/check.h"

namespace kbx {

// The smallest unused chunk that is large enough; when there may be no more of them, one with room.
std::optional<size_t> ChunkPlan::fitting(size_t bytes, Access access) const {
  std::optional<size_t> best;
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const Chunk& c = chunks_[i];
    if (c.access == access && c.ranges.empty() && c.length >= bytes && (!best || c.length < chunks_[*best].length)) best = i;
  }
  if (best || (count(access) < kOwnChunks && wanted(bytes - kAlignment, access))) return best;
  for (size_t i = 0; i < chunks_.size(); ++i)
    if (chunks_[i].access == access && chunks_[i].free >= bytes) return i;
  return std::nullopt;
}

size_t ChunkPlan::count(Access access) const {
  return static_cast<size_t>(std::ranges::count_if(chunks_, [&](const Chunk& c) { return c.access == access; }));
}

std::optional<ChunkPlan::Place> ChunkPlan::place(size_t bytes, size_t misalign, Access access) {
  KBX_CHECK(misalign < kAlignment);
  const auto chunk = fitting(bytes + kAlignment, access);
  if (!chunk) return std::nullopt;
  Chunk& c = chunks_[*chunk];
  const size_t start = (c.free - bytes - misalign) / kAlignment * kAlignment + misalign;
  c.ranges.push_back({buffers_++, start, start + bytes});
  c.free = start > kRedZone ? start - kRedZone : 0;
  return Place{*chunk, start};
}

std::optional<size_t> ChunkPlan::wanted(size_t bytes, Access access) const {
  const auto rounded = [&](size_t n) { return (n + granularity_ - 1) / granularity_ * granularity_; };
  const size_t limit = std::max(limit_, granularity_), own = rounded(bytes + kAlignment);
  if (used_ + own > limit) return std::nullopt;
  if (count(access) < kOwnChunks) return own;
  return std::max(own, std::min(rounded(kShared), (limit - used_) / granularity_ * granularity_));
}

size_t ChunkPlan::add(size_t length, Access access) {
  used_ += length;
  chunks_.push_back({length, length, access});
  return chunks_.size() - 1;
}

void ChunkPlan::reset() {
  for (Chunk& c : chunks_) {
    c.ranges.clear();
    c.free = c.length;
  }
  buffers_ = 0;
}

std::vector<ChunkPlan::Gap> ChunkPlan::gaps(size_t chunk) const {
  const Chunk& c = chunks_[chunk];
  std::vector<Gap> gaps;
  if (c.ranges.empty()) return gaps;
  size_t begin = c.free;
  for (auto r = c.ranges.rbegin(); r != c.ranges.rend(); ++r) {
    if (r->start > begin) gaps.emplace_back(begin, r->start);
    begin = r->end;
  }
  if (c.length > begin) gaps.emplace_back(begin, c.length);
  return gaps;
}

Arena::Trespass ChunkPlan::nearest(size_t chunk, size_t at) const {
  Arena::Trespass best{0, INT64_MAX};
  for (const Range& r : chunks_[chunk].ranges) {
    const int64_t distance = at >= r.end ? static_cast<int64_t>(at - r.end) : -static_cast<int64_t>(r.start - at);
    if (std::abs(distance) < std::abs(best.distance)) best = {r.buffer, distance};
  }
  return best;
}

}  // namespace kbx
