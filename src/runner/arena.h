// SPDX-License-Identifier: Apache-2.0
// The data plane: memory that the judge owns and a runner maps. Each buffer starts on 64 bytes (256 on a GPU) and ends
// as close as that allows to an unmapped page; the rest of its pages is a red zone that is filled and checked.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/result.h"
#include "protocol/wire.h"

namespace kbx {

struct Buffer {
  at::Tensor tensor;    // the judge's view of the shared bytes, with the strides asked for
  wire::Tensor remote;  // the same for the runner
};

// What the runner may do with a buffer.
enum class Access { read, write };

class Arena {
 public:
  virtual ~Arena() = default;

  // Space for a tensor of these sizes and strides (elements; non-negative). The storage spans exactly the elements
  // reachable by the strides. `misalign` bytes are added to the start (a case's @offset). `access` holds on
  // a GPU whose driver knows it: a kernel that writes faults there. Host memory is writable, so that the judge can say which
  // input was changed and how. Error: out of memory.
  virtual Result<Buffer> allocate(at::ScalarType dtype, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t misalign = 0,
                                  Access access = Access::write) = 0;

  // Fills every byte of the arena's buffers' pages that belongs to no tensor with `pattern`.
  virtual void fill_red_zones(uint8_t pattern) = 0;
  // Index (in order of allocation) of the first buffer whose red zone changed and the byte's distance behind its end
  // (negative: before its start), or nothing.
  struct Trespass {
    size_t buffer;
    int64_t distance;
  };
  virtual std::optional<Trespass> red_zones_changed() = 0;
  // Whether red_zones_changed() would find something, as a 0-dim bool tensor where the buffers lie, not waited for.
  virtual at::Tensor red_zones_differ() = 0;

  // Forgets all buffers; their memory is reused.
  virtual void reset() = 0;

  // Segments made so far with the descriptor to send for each (owned by the arena).
  struct Export {
    wire::Segment segment;
    int descriptor;
  };
  virtual std::vector<Export> exports() const = 0;
  // The status page that the runner keeps (segment 0).
  virtual wire::StatusPage status() const = 0;
};

// Host memory in one sealed memfd of `bytes`. Error: not enough memory.
Result<std::unique_ptr<Arena>> make_host_arena(size_t bytes);

// c10 dtypes to DLPack codes and back.
wire::DType to_wire(at::ScalarType dtype);
std::optional<at::ScalarType> from_wire(wire::DType dtype);

}  // namespace kbx
