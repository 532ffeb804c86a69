// SPDX-License-Identifier: Apache-2.0
// Where a tensor's bytes go within its page range.
#pragma once

#include <cstddef>
#include <cstdint>

#include <c10/util/ArrayRef.h>

namespace kbx {

struct Placement {
  size_t length = 0;  // of the page range, a multiple of `page`, never 0
  size_t start = 0;   // of the first byte
};

// The start is `misalign` past a multiple of `alignment`, the end as close to the range's end as that allows.
// REQUIRES: alignment divides page; misalign < alignment.
inline Placement place(size_t bytes, size_t misalign, size_t alignment, size_t page) {
  size_t length = (misalign + bytes + page - 1) / page * page;
  if (length == 0) length = page;
  const size_t slack = length - bytes - misalign;
  return {length, slack / alignment * alignment + misalign};
}

// Bytes from the first to the last element that the strides reach; 0 for a tensor without elements.
inline size_t span_bytes(c10::IntArrayRef sizes, c10::IntArrayRef strides, size_t item) {
  size_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    last += static_cast<size_t>(sizes[d] - 1) * static_cast<size_t>(strides[d]);
  }
  return (last + 1) * item;
}

}  // namespace kbx
