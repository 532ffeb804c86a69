// SPDX-License-Identifier: Apache-2.0
// The judge's memory as this process sees it. Host segments lie between two inaccessible pages.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/wire.h"

namespace kbx::runner {

// Thrown for whatever the judge must hear as `failed`.
struct Failure {
  wire::FailedAt at;
  std::string kind, message;
};

// One mapped segment. Unmapped by the destructor.
class Mapping {
 public:
  virtual ~Mapping() = default;
  char* base() const { return base_; }

 protected:
  char* base_ = nullptr;
};

// Host memory: `length` bytes at `offset` of the descriptor, which may be closed afterwards. Throws Failure.
std::unique_ptr<Mapping> map_host(const wire::Segment& segment, int fd);

class Segments {
 public:
  // Maps what an `attach` message names, in place of segments with the same ids. Throws Failure.
  void attach(wire::Reader& reader, const std::vector<int>& descriptors);

  // Address of a tensor's first element. Throws Failure if the segment is unknown.
  void* address(const wire::Tensor& tensor) const;

  // Whether any lives on a GPU.
  bool on_device() const { return on_device_; }

  // Null until segment 0 is attached.
  wire::StatusPage* status() const;

 private:
  std::map<uint32_t, std::unique_ptr<Mapping>> mapped_;
  bool on_device_ = false;
};

}  // namespace kbx::runner
